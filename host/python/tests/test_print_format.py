"""Tests the formats of ``ctrl_print``."""

import unittest
from pathlib import Path

from phasecube.host.print_format import filled


class Formats(unittest.TestCase):
    def test_they_are_filled_as_in_c(self) -> None:
        """Checks the table that the tests in Rust also read."""
        table = (Path(__file__).parent / "print_formats.txt").read_text()
        rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
        for format, word, expected in rows:
            with self.subTest(format, word=word):
                self.assertEqual(filled(format, [int(word, 16)]), expected)
        self.assertGreater(len(rows), 80)

    def test_missing_words_and_unknown_letters_are_visible(self) -> None:
        self.assertEqual(filled("%c%c", [0x41, 0x62]), "Ab")
        self.assertEqual(filled("%d %d %s", [1]), "1 ? ?")
        self.assertEqual(filled("%s", [1]), "%s")
        self.assertEqual(filled("100%", []), "100%")


if __name__ == "__main__":
    unittest.main()
