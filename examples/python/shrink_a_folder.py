"""Shrinks and profiles every model in a folder, on all cores or on a Ray cluster.

    python shrink_a_folder.py models/ small/ [ray://host:10001]
"""

import sys

import onnxpress

folder, output = sys.argv[1:3]
cluster = sys.argv[3] if len(sys.argv) > 3 else None
shrunk = onnxpress.batch(folder, "shrink", output_dir=output, cluster=cluster, progress=True)
profiles = onnxpress.batch(folder, "profile", cluster=cluster, progress=True)
for row in [*shrunk.errors, *profiles.errors]:
    print(f"{row['file']}: {row['error']}", file=sys.stderr)
for row in profiles:
    if row["error"] is None:
        print(f"{row['file']}: {row['report']['macs']['value']:,} multiply-adds, {row['parameters']:,} parameters")
shrunk.to_csv(f"{output}/table.csv")
