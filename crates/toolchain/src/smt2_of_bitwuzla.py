"""Bitwuzla as a program that talks SMT-LIB 2 over its standard input and output.

The Python package index has it as a module. Its parser takes a file, of which it reads ahead, or a
text: so each command is handed over as soon as it is whole, and answered at once.
"""
import re
import sys

# What is no bracket of a command: quoted symbols, texts and comments.
NO_BRACKETS = re.compile(r'\|[^|]*\||"[^"]*"|;.*')


def main():
    arguments = sys.argv[1:]
    if "--help" in arguments:
        # yosys-smtbmc looks for this option, and calls the program with it.
        print("bitwuzla --lang smt2")
        return
    import bitwuzla

    if "--version" in arguments:
        print(bitwuzla.version())
        return
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    command, depth = "", 0
    for line in sys.stdin:
        code = NO_BRACKETS.sub("", line)
        command += line
        depth += code.count("(") - code.count(")")
        if depth > 0:
            continue
        if code.strip() == "(exit)":
            return
        parser.parse(command, parse_file=False)
        command = ""

