# SPDX-License-Identifier: BSD-3-Clause
"""Called by moving_picture.sh: photographs a display until the run that its window computes has ended, and writes a GIF of it.

    moving_picture.py DISPLAY RUNS PID FILE
"""

import json
import os
import sys
import time
from pathlib import Path

from PIL import Image, ImageChops, ImageGrab

display, runs, program, file = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
every = 0.2  # s between photographs
frames_wanted = int(os.environ.get("CONOID_FRAMES", "44"))
longest = 500  # s


def ended() -> bool:
    return any("state" in json.loads(p.read_text()) for p in runs.glob("*/summary.json"))


shots = []
begin = time.monotonic()
over = None
while time.monotonic() - begin < longest and (over is None or time.monotonic() - over < 1.5):
    os.kill(program, 0)  # raises where the window is gone
    shots.append(ImageGrab.grab(xdisplay=f":{display}").convert("RGB"))
    if over is None and ended():
        over = time.monotonic()
    time.sleep(every)
if over is None:
    sys.exit(f"moving_picture.py: the run has not ended within {longest} s")
# The display is of one colour until the window is there.
while len(shots) > 1 and all(low == high for low, high in shots[0].getextrema()):
    shots.pop(0)
# What does not move is shown once; of the rest, frames at equal distances, the last one held.
moved = [shots[0]]
for shot in shots[1:]:
    box = ImageChops.difference(shot, moved[-1]).getbbox()
    if box and (box[2] - box[0]) * (box[3] - box[1]) > 0.05 * shot.width * shot.height:
        moved.append(shot)
step = max(1, len(moved) / frames_wanted)
chosen = [moved[int(i * step)] for i in range(min(frames_wanted, len(moved)))]
if chosen[-1] is not moved[-1]:
    chosen.append(moved[-1])
# One palette for all, without dithering: what is at rest stays the same to the last bit and packs into nothing.
tall = sum(s.height for s in chosen[:: max(1, len(chosen) // 6)])
sheet = Image.new("RGB", (chosen[0].width, tall))
at = 0
for shot in chosen[:: max(1, len(chosen) // 6)]:
    sheet.paste(shot, (0, at))
    at += shot.height
palette = sheet.quantize(int(os.environ.get("CONOID_COLOURS", "160")), method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
flat = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in chosen]
times = [120] * len(flat)
times[-1] = 2500
flat[0].save(file, save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=False)
print(f"{file}: {len(flat)} frames of {len(shots)} photographs, {file.stat().st_size / 1e6:.2f} MB")
