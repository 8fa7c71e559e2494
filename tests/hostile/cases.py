"""Every hostile case, by name. `python3 tests/hostile/cases.py FOLDER` writes their files, to look at or to feed a fuzzer."""
import sys
from pathlib import Path

import cases_external
import cases_fold
import cases_graph
import cases_tensor
import cases_wire
import cases_write

CASES = [case for family in (cases_external, cases_wire, cases_tensor, cases_graph, cases_write, cases_fold) for case in family.CASES]


def main():
    folder = Path(sys.argv[1])
    for case in CASES:
        case.write_files(folder / case.name)
    print(f"{len(CASES)} cases in {folder}")


if __name__ == "__main__":
    main()
