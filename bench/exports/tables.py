"""Writes results.csv (a line for each export and tool) and results.md (sums, and every loss)."""
import csv
import statistics

SLOWER = 1.03  # the whole interval must lie above


def is_right(row):
    return "nodes" in row and "wrong" not in row and "invalid" not in row


def best(rows, tools, key):
    """(tool, number) of the right result with the smallest number."""
    found = [(rows[tool][key], tool) for tool in tools if is_right(rows[tool])]
    return min(found) if found else (None, "none")


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["export", "tool", "nodes", "bytes", "cpu_seconds", "error", "problem", "latency_1", "low", "high", "latency_default", "low", "high"])
        for name, tools in rows.items():
            for tool, row in tools.items():
                problem = row.get("failed") or row.get("wrong") or row.get("invalid") or ""
                out.writerow([name, tool, row.get("nodes", ""), row.get("bytes", ""), f"{row['seconds']:.3f}" if "seconds" in row else "", row.get("error", ""),
                              problem.replace("\n", " "), *(f"{each:.3f}" for key in ("latency", "latency_threads") for each in row.get(key, []))])


def compared(rows, ours, peers, key):
    """Counts of exports where ours is smaller, equal and larger, and the losses as (export, ours, best peer, its tool)."""
    counts, losses = [0, 0, 0], []
    for name, tools in rows.items():
        number, tool = best(tools, peers, key)
        if number is None or not is_right(tools[ours]):
            continue
        mine = tools[ours][key]
        counts[(mine >= number) + (mine > number)] += 1
        if mine > number:
            losses.append((name, mine, number, tool))
    return counts, losses


def tools_table(rows):
    lines = ["| tool | right | wrong | invalid | refused or failed | median nodes left | median bytes left | CPU seconds in all | slower than the original |", "|---|" + "---:|" * 8]
    for tool in next(iter(rows.values())):
        if tool == "original":
            continue
        each = [tools[tool] for tools in rows.values()]
        right = [(tools[tool], tools["original"]) for tools in rows.values() if is_right(tools[tool]) and tools["original"].get("nodes")]
        refused = sum("failed" in row or row.get("wrong", "").startswith("refused") for row in each)
        share = lambda key: f"{statistics.median(a[key] / b[key] for a, b in right):.1%}" if right else ""  # noqa: E731
        timed = [row for row in each if "latency" in row]
        slower = sum(row["latency"][1] > SLOWER for row in timed)
        lines.append(f"| {tool} | {len(right)} | {sum('wrong' in row and not row['wrong'].startswith('refused') for row in each)} | {sum('invalid' in row for row in each)} "
                     f"| {refused} | {share('nodes')} | {share('bytes')} | {sum(row.get('seconds', 0) for row in each):.1f} | {f'{slower} of {len(timed)}' if timed else ''} |")
    return lines


def losses_table(title, rows, ours, peers, key):
    counts, losses = compared(rows, ours, peers, key)
    lines = ["", f"### {title}", "", f"Fewer: {counts[0]}, as many: {counts[1]}, **more: {counts[2]}**.", ""]
    if losses:
        lines += ["| export | " + ours + " | best peer | which |", "|---|---:|---:|---|"]
        lines += [f"| {name} | {mine:,} | {number:,} | {tool} |" for name, mine, number, tool in losses]
    return lines


def latency_table(rows):
    lines, found = ["", "### Slower than the original in ONNX Runtime", ""], []
    for name, tools in rows.items():
        for tool, row in tools.items():
            for key, threads in (("latency", "1"), ("latency_threads", "default")):
                if key in row and row[key][1] > SLOWER:
                    found.append(f"| {name} | {tool} | {threads} | {row[key][0]:.2f} | {row[key][1]:.2f} to {row[key][2]:.2f} |")
    return lines + (["| export | tool | threads | ratio | interval |", "|---|---|---|---:|---|", *found] if found else ["None, or not measured."])


def wrong_table(rows):
    lines = ["", "### Wrong, invalid, refused or failed", "", "| export | tool | problem |", "|---|---|---|"]
    for name, tools in rows.items():
        for tool, row in tools.items():
            problem = row.get("failed") or row.get("wrong") or row.get("invalid")
            if problem:
                text = " ".join(problem.split()).replace("|", "\\|")
                lines.append(f"| {name} | {tool} | {text[:120]} |")
    return lines


def write_tables(folder, rows, refused, portable):
    write_csv(folder / "results.csv", rows)
    lines = [f"{len(rows)} exports; the exporters refused {len(refused)} others.", "", *tools_table(rows)]
    lines += losses_table("Nodes, against portable peers", rows, "onnxpress", portable, "nodes")
    lines += losses_table("Nodes with --target ort, against ONNX Runtime's extended level", rows, "onnxpress-ort", ["ort-extended"], "nodes")
    lines += losses_table("Bytes, against portable peers", rows, "onnxpress", portable, "bytes")
    lines += losses_table("Bytes with --shrink, against portable peers", rows, "onnxpress-shrink", portable, "bytes")
    lines += latency_table(rows) + wrong_table(rows)
    (folder / "results.md").write_text("\n".join(lines) + "\n")
