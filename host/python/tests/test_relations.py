"""Tests of routing relations without a circuit, with the program phasecube in PHASECUBE."""

import os
import unittest
from typing import Iterator, Tuple

import phasecube

Node = Tuple[int, int]

NODES = [(x, y) for x in range(3) for y in range(3)]
MESH = [(a, b) for a in NODES for b in NODES if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]


def useful(at: Node, to: Node) -> Iterator[Node]:
    if at[0] != to[0]:
        yield at[0] + (1 if to[0] > at[0] else -1), at[1]
    if at[1] != to[1]:
        yield at[0], at[1] + (1 if to[1] > at[1] else -1)


@unittest.skipUnless(os.environ.get("PHASECUBE"), "needs the program in PHASECUBE")
class RelationTest(unittest.TestCase):
    def test_an_escape_frees_an_adaptive_mesh(self) -> None:
        def hops(at: Node, to: Node) -> Iterator[phasecube.RelationHop]:
            for place, node in enumerate(useful(at, to)):
                if place == 0:
                    yield phasecube.RelationHop(node, vc=0, escape=True)
                yield phasecube.RelationHop(node, vc=1)

        result = phasecube.check_relation(MESH, hops, vcs=2)
        self.assertEqual((result.acyclic, result.deadlock_free), (False, True))
        self.assertEqual(len(result.escape_channels), len(MESH))
        self.assertEqual(result.report["pairs_without_route"], 0)

    def test_without_an_escape_it_deadlocks(self) -> None:
        def hops(at: Node, to: Node) -> Iterator[phasecube.RelationHop]:
            return map(phasecube.RelationHop, useful(at, to))

        for switching in ("wormhole", "store-and-forward"):
            result = phasecube.check_relation(MESH, hops, switching=switching)
            self.assertEqual((len(result.channels), result.deadlock_free), (4, False))
            self.assertEqual(result.escape_channels, [])

        def ecube(at: Node, to: Node) -> Iterator[phasecube.RelationHop]:
            yield phasecube.RelationHop(next(useful(at, to)))

        self.assertTrue(phasecube.check_relation(MESH, ecube).acyclic)

    def test_names_that_begin_like_comments_are_nodes(self) -> None:
        ring = ["#1", "#2", 'a "b"', "c,d"]

        def hops(at: str, to: str) -> Iterator[phasecube.RelationHop]:
            yield phasecube.RelationHop(ring[(ring.index(at) + 1) % 4])

        result = phasecube.check_relation([(ring[n], ring[(n + 1) % 4]) for n in range(4)], hops)
        self.assertEqual((len(result.channels), result.deadlock_free), (4, False))
        self.assertIn("#1 to #2", result.channels)
        self.assertEqual(result.report["pairs_without_route"], 0)

    def test_wrong_relations_are_rejected(self) -> None:
        def astray(at: Node, to: Node) -> Iterator[phasecube.RelationHop]:
            yield phasecube.RelationHop((9, 9))

        with self.assertRaisesRegex(phasecube.BadInput, r"there is no node \(9, 9\)"):
            phasecube.check_relation(MESH, astray)
        for wrong in ("", " a", "a\n"):
            with self.assertRaisesRegex(phasecube.BadInput, "accepted: a text without blanks at its ends"):
                phasecube.check_relation([("a", wrong)], lambda at, to: [])
        # The error names the argument, not a file that the caller has never seen.
        pair = [("a", "b"), ("b", "a")]
        for channels, vcs, vc, says in (
            (pair, 1, None, "hops: there is no line"),
            ([], 1, 0, "channels: there is no line"),
            (pair, 65, 0, r"the channel \('a', 'b'\): vcs is .65.; accepted: "),
            (pair + pair[1:], 1, 0, r"the channel \('b', 'a'\): .* is there already"),
            (pair, 1, 3, r"hops\('a', 'b'\): vc is .3.; accepted: 0 to 0"),
        ):
            with self.assertRaisesRegex(phasecube.BadInput, "^" + says):
                phasecube.check_relation(
                    channels, lambda at, to: [] if vc is None else [phasecube.RelationHop(to, vc=vc)], vcs=vcs
                )
        with self.assertRaisesRegex(phasecube.BadInput, "two nodes have the same text"):
            phasecube.check_relation([(1, "1")], lambda at, to: [])
