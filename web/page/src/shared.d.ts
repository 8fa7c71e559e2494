// Types of the scripts that the page shares with the command's own pages (cli/pages/report_page, cli/pages/profile_page); scripts/build.mjs
// joins them into the module shared.js.
export type Child = Node | string | null | undefined;
export type Properties = Record<string, string | number | null | undefined>;
export interface Column<T> {
  title: string;
  number?: boolean;
  text: (line: T) => Child | Child[];
}
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
export function sum<T>(items: T[], of: (item: T) => number): number;
/** Formats a number of operations. */
export function work(n: number): string;
export function percent(part: number, whole: number): string;
export function share_bar(part: number, whole: number): HTMLElement;
export function table_head<T>(columns: Column<T>[]): HTMLElement;
export function table_row<T>(columns: Column<T>[], line: T): HTMLElement;
/** Cells are empty where the number is null. */
export function number_column<T>(title: string, key: keyof T, format: (n: number) => string): Column<T>;
export function commas(n: number): string;
export function bytes(n: number): string;
export function count(n: number): string;
export function counted(n: number, one: string, many: string): string;
export function change(before: number, after: number): string;
/** Escapes characters that are invisible or change the direction of the text. */
export function shown(text: string): string;
export function make(tag: string, properties?: Properties, ...children: Child[]): HTMLElement;
export function draw(tag: string, properties?: Properties, ...children: Child[]): SVGElement;
export function steppable(container: HTMLElement, items: HTMLElement[], show: (item: HTMLElement) => void): void;
export function squarify<T extends { size: number }>(items: T[], box: Box): (Box & { item: T })[];
export function place(node: HTMLElement, box: Box, frame: Box): HTMLElement;
