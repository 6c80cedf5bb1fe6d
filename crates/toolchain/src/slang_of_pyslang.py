"""The command line of slang, which the Python package index has as a module."""
import shlex
import sys


def main():
    import pyslang
    from pyslang import driver

    arguments = sys.argv[1:]
    if "--version" in arguments:
        print("slang version", pyslang.__version__)
        return
    # The program slang has this option itself; the module takes it as a parameter.
    quiet = "--quiet" in arguments
    arguments = [argument for argument in arguments if argument != "--quiet"]
    slang = driver.Driver()
    slang.addStandardArgs()
    line = shlex.join(["slang", *arguments])
    parsed = slang.parseCommandLine(line, driver.CommandLineOptions())
    read = parsed and slang.processOptions() and slang.parseAllSources()
    sys.exit(0 if read and slang.runFullCompilation(quiet) else 1)
