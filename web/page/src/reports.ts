// The fields of the command's JSON that the page shows. Null means not known.
export interface Info {
  file: string;
  file_bytes: number;
  ir_version: number | null;
  producer_name: string;
  producer_version: string;
  graph: string;
  opsets: { domain: string; version: number }[];
  inputs: { name: string; type: string }[];
  outputs: { name: string; type: string }[];
  nodes: { total: number; main_graph: number; bodies: number; functions: number; by_op: { op: string; domain: string; nodes: number }[] };
  metadata: { key: string; value: string }[];
  weights: { tensors: number; parameters: number; bytes: number; by_type: { name: string; tensors: number; parameters: number; bytes: number }[] };
  compute: { macs: number | null; at_least: boolean; formula: string; inputs: string[] };
  largest: Tensor[];
  tensors: Tensor[] | null;
  bytes: { total: number; parts: { part: string; bytes: number }[]; external: number };
  problems: number;
  repairs: number;
}
export interface Tensor {
  name: string;
  type: string;
  shape: number[];
  elements: number | null;
  bytes: number;
  place: string;
  scope: string;
}
export interface ProfiledNode {
  name: string;
  op: string;
  outputs: string[];
  work: number | null;
  macs: number | null;
  parameters: number;
  weight_bytes: number;
  read: number | null;
  written: number | null;
  live: number;
  depth: number;
}
export interface Profile {
  macs: { value: number | null; formula: string; at_least: boolean };
  read: { value: number | null };
  written: { value: number | null };
  parameters: number;
  weight_bytes: number;
  nodes: number;
  assumed: { symbol: string; size: number }[];
  ops: { op: string; nodes: number; macs: number; flops: number; parameters: number; weight_bytes: number; read: number; written: number }[];
  node_list: ProfiledNode[];
  memory: { peak: number; pool: number; weights: number; inputs: number; peak_node: string; alive: { name: string; type: string; bytes: number }[] };
  unknown_ops: string[];
}
export interface Check {
  ok: boolean;
  nodes: number;
  tensors: number;
  errors: number;
  warnings: number;
  notes: number;
  left_out: number;
  findings: { severity: string; code: string; where: string; message: string }[];
}
export interface Infer {
  values: number;
  complete: number;
  with_rank: number;
  constant: number;
  inputs: { name: string; type: string }[];
  outputs: { name: string; type: string }[];
  all: { name: string; type: string; complete: boolean }[];
  losses: { value: string; node: string; op: string; why: string; values: number }[];
}
interface Smaller {
  before: { file: number; external: number };
  after: { file: number; external: number };
  unchanged: boolean;
  methods: { method: string; summary: string; count: number; saved: number }[];
  seconds: number;
}
export interface Saving {
  tensor: string;
  method: string;
  before: number;
  after: number;
}
export interface Shrink extends Smaller {
  largest: Saving[];
}
export interface Quantize extends Smaller {
  refused: string;
  rounded: number;
  bits: number;
  sqnr: number | null;
  note: string;
  tensors: { tensor: string; op: string; scheme: string; before: number; after: number; bits: number; sqnr: number | null; largest_error: number | null; cosine: number | null; kept: string }[];
  others: Saving[];
}
export interface Optimize {
  nodes_before: number;
  nodes_after: number;
  bytes_before: number;
  bytes_after: number;
  unchanged: boolean;
  remarks: string[];
  ops: { op: string; before: number; after: number }[];
  rewrites: { rewrite: string; summary: string; count: number }[];
  seconds: number;
}
export interface Diff {
  equal: boolean;
  same_bytes: boolean;
  total: number;
  counts: { subject: string; added: number; removed: number; changed: number; renamed: number; reordered: number }[];
  differences: { change: string; subject: string; where: string; what: string; details: { what: string; before: string; after: string }[] }[];
}
export interface DrawnNode {
  name: string;
  op: string;
  domain: string;
  inputs: string[];
  /** Values that its bodies read from outside. */
  captured: string[];
  outputs: string[];
  /** If `attribute` is empty, it is a function that the node calls. */
  bodies: { attribute: string; graph: number }[];
  text: string;
}
export interface DrawnGraph {
  name: string;
  function: string;
  parent: number | null;
  inputs: string[];
  outputs: string[];
  nodes: DrawnNode[];
  values: { name: string; type: string }[];
  weights: { name: string; type: string; bytes: number }[];
}
export interface Drawn {
  /** The main graph is the first one. */
  graphs: DrawnGraph[];
}
export interface WeightReport {
  type: string;
  elements: number;
  zeros: number;
  not_finite: number;
  least: number;
  most: number;
  mean: number;
  deviation: number;
  histogram: number[];
}
