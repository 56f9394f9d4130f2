import { dirname, join } from 'node:path/posix';
import { findCycles } from './find-cycles.ts';
import { readImports } from './read-imports.ts';

/** A part of the repository with one rule for its imports. */
export interface Area {
  /** Folders, with everything below them, or single files. The most specific path decides. */
  readonly paths: readonly string[];
  /** The areas it may import from, besides itself. `server/*` is the area `server` and those below it. */
  readonly imports: readonly string[];
}

export interface LayerRules {
  /** Bottom first: an area names only areas before it. */
  readonly areas: Readonly<Record<string, Area>>;
  /** Folders whose files may import from inside a folder that has an index.ts. */
  readonly pastIndex: readonly string[];
}

export interface Violation {
  /** What identifies it, also in the list of known ones. */
  readonly key: string;
  readonly message: string;
}

export interface LayerReport {
  readonly unexpected: readonly Violation[];
  /** Known violations that are none any more. */
  readonly obsolete: readonly string[];
}

/** Compares what was found with what is known. */
export function compareWithKnown(found: readonly Violation[], known: readonly string[]): LayerReport {
  const keys = new Set(found.map(({ key }) => key));
  return {
    unexpected: found.filter(({ key }) => !known.includes(key)),
    obsolete: known.filter((key) => !keys.has(key)),
  };
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Checks the imports among the given files, path to source. Imports of anything else are ignored. */
export function checkLayers(files: ReadonlyMap<string, string>, rules: LayerRules): Violation[] {
  const imports = [...files].flatMap(([from, source]) =>
    readImports(from, source).flatMap((specifier) => {
      const to = specifier.startsWith('.') ? join(dirname(from), specifier) : '';
      return files.has(to) ? [{ from, to }] : [];
    }),
  );
  const { areas } = rules;
  return [
    ...checkOrder(areas),
    ...[...files.keys()].flatMap((file) => (areaOf(file, areas) === undefined ? [withoutArea(file)] : [])),
    ...imports.flatMap((found) => [...checkAreas(found, areas), ...checkIndex(found, files, rules.pastIndex)]),
    ...checkCycles('folders', imports, (file) => folderOf(file, areas)),
    ...checkCycles('files', imports, (file) => file),
  ];
}

function checkOrder(areas: LayerRules['areas']): Violation[] {
  const names = Object.keys(areas);
  return names.flatMap((name, place) =>
    (areas[name]?.imports ?? [])
      .filter((lower) => !names.slice(0, place).some((earlier) => covers(lower, earlier)))
      .map((lower) => ({
        key: `order: ${name} → ${lower}`,
        message: `The area "${name}" names "${lower}", which is not declared before it.`,
      })),
  );
}

function withoutArea(file: string): Violation {
  return { key: `no area: ${file}`, message: `${file} belongs to no area. Add its folder to the layer order.` };
}

function checkAreas({ from, to }: Import, areas: LayerRules['areas']): Violation[] {
  const [importing, imported] = [areaOf(from, areas), areaOf(to, areas)];
  if (importing === undefined || imported === undefined || importing === imported) return [];
  if (areas[importing]?.imports.some((allowed) => covers(allowed, imported))) return [];
  return [
    { key: `${from} → ${to}`, message: `${from} imports ${to}: "${importing}" must not import from "${imported}".` },
  ];
}

function checkIndex({ from, to }: Import, files: ReadonlyMap<string, string>, pastIndex: readonly string[]) {
  if (pastIndex.some((folder) => isInside(from, folder))) return [];
  return foldersAbove(to)
    .map((folder) => `${folder}/index.ts`)
    .filter((index) => files.has(index) && index !== to && !isInside(from, dirname(index)))
    .map((index) => ({
      key: `${from} → ${to}`,
      message: `${from} imports ${to}: from outside ${dirname(index)} only its index.ts may be imported.`,
    }));
}

function checkCycles(kind: string, imports: readonly Import[], nodeOf: (file: string) => string): Violation[] {
  const edges = imports.map(({ from, to }) => ({ from: nodeOf(from), to: nodeOf(to), example: `${from} → ${to}` }));
  return findCycles(edges).map((cycle) => {
    const members = new Set(cycle);
    const examples = edges.filter(({ from, to }) => from !== to && members.has(from) && members.has(to));
    const lines = [...new Map(examples.map((edge) => [`${edge.from} → ${edge.to}`, edge.example])).values()];
    return {
      key: `cycle of ${kind}: ${cycle.join(', ')}`,
      message: `These ${kind} import each other in a cycle: ${cycle.join(', ')} (${lines.join('; ')}).`,
    };
  });
}

function covers(allowed: string, area: string): boolean {
  const parent = allowed.endsWith('/*') ? allowed.slice(0, -2) : undefined;
  return area === allowed || (parent !== undefined && (area === parent || area.startsWith(`${parent}/`)));
}

function areaOf(file: string, areas: LayerRules['areas']): string | undefined {
  const matches = Object.entries(areas).flatMap(([name, { paths }]) =>
    paths.filter((path) => path === file || isInside(file, path)).map((path) => ({ name, length: path.length })),
  );
  return matches.sort((a, b) => b.length - a.length)[0]?.name;
}

/** A file that its area lists by name counts as part of that area, not of the folder it is in. */
function folderOf(file: string, areas: LayerRules['areas']): string {
  const listed = Object.entries(areas).find(([, { paths }]) => paths.includes(file));
  return listed?.[0] ?? dirname(file);
}

function foldersAbove(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}
