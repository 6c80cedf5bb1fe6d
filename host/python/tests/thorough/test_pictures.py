"""Tests of pictures, with matplotlib. `cargo sim host::python` runs them."""

import unittest

import matplotlib

matplotlib.use("Agg")

import phasecube  # noqa: E402
from phasecube import pictures  # noqa: E402


class PictureTest(unittest.TestCase):
    def test_curves_have_the_points_of_the_sweep(self) -> None:
        sweep = phasecube.sweep_load(networks=["tdma", "torus"], dims=2, loads=[0.1, 0.3], periods=40, seeds=2)
        for quantity in ("latency", "accepted"):
            axes = pictures.latency_load(sweep, quantity=quantity)
            lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 2]
            names = [machine["machine"] for machine in sweep.report["machines"]]
            self.assertEqual([line.get_label() for line in lines], names)
            for line in lines:
                points = [p for p in sweep.report["points"] if p["machine"] == line.get_label()]
                self.assertEqual(list(line.get_xdata()), [p["offered_flits"] for p in points])
                value = "mean_latency" if quantity == "latency" else "accepted_flits"
                self.assertEqual(list(line.get_ydata()), [p[value] for p in points])
        matplotlib.pyplot.close("all")

    def test_maps_have_the_load_of_each_channel(self) -> None:
        result = phasecube.run(network="torus", radix=(4, 4), pattern="permutation")
        image = pictures.utilisation(result).get_images()[0].get_array()
        node, port, load = result.channel_loads.highest()
        self.assertEqual(image.shape, (16, 2))
        self.assertEqual((image.max(), image[node][port]), (load, load))

    def test_phases_have_one_sender_for_each_link(self) -> None:
        result = phasecube.run(dims=3, pattern="total-exchange", trace=True)
        axes = pictures.utilisation(result, over="phases")
        image = axes.get_images()[0].get_array()
        # 24 channels, each in one of 6 phases.
        self.assertEqual(image.shape, (24, 6))
        self.assertTrue(((image > 0).sum(axis=1) == 1).all())
        self.assertTrue(image.max() <= 1.0)

    def test_space_time_has_a_line_for_each_hop(self) -> None:
        result = phasecube.run(dims=3, pattern="complement", trace=True)
        self.assertEqual(len(pictures.space_time(result).get_lines()), result.hops)
        one = pictures.space_time(result, messages=[5]).get_lines()
        self.assertEqual(len(one), 3)
        self.assertEqual((one[0].get_ydata()[0], one[-1].get_ydata()[1]), (5, 2))

    def test_a_run_without_a_log_is_rejected(self) -> None:
        result = phasecube.run(dims=2, pattern="complement")
        with self.assertRaisesRegex(phasecube.BadInput, "accepted: a run with trace=True"):
            pictures.space_time(result)
        torus = phasecube.run(network="torus", dims=2, pattern="complement", trace=True)
        with self.assertRaisesRegex(phasecube.BadInput, "accepted: over='ports'"):
            pictures.utilisation(torus, over="phases")
