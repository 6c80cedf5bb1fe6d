"""Writes mesh.csv and adaptive.csv: a 3x3 mesh with edges, and adaptive minimal routing with an escape.

Messages take any useful step on virtual channel 1. Virtual channel 0 is the escape: x first, then y.
"""

from pathlib import Path

SIDE = 3
FOLDER = Path(__file__).parent
nodes = [(x, y) for y in range(SIDE) for x in range(SIDE)]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


with open(FOLDER / "mesh.csv", "w", encoding="ascii") as mesh:
    print("from,to,vcs", file=mesh)
    for x, y in nodes:
        for near in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]:
            if near in nodes:
                print(f"{x}.{y},{near[0]}.{near[1]},2", file=mesh)

with open(FOLDER / "adaptive.csv", "w", encoding="ascii") as routes:
    print("at,to,next,vc,escape", file=routes)
    for x, y in nodes:
        for to in nodes:
            dx, dy = sign(to[0] - x), sign(to[1] - y)
            useful = [near for near in [(x + dx, y), (x, y + dy)] if near != (x, y)]
            for place, (u, v) in enumerate(useful):
                if place == 0:
                    print(f"{x}.{y},{to[0]}.{to[1]},{u}.{v},0,yes", file=routes)
                print(f"{x}.{y},{to[0]}.{to[1]},{u}.{v},1,", file=routes)
