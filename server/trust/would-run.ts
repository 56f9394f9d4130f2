import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { WouldRun } from '../../shared/entities.ts';

/** Lists what the directory's own settings would run in one agent, or in several. Never rejects and starts nothing. */
export type WhatRuns = (projectDir: string) => Promise<readonly Finding[]>;

export interface Finding extends Omit<WouldRun, 'isNew'> {
  /** The user's own settings of the agent refuse this directory, so nobody has to be asked. */
  readonly isRefused?: true;
}

export interface FoundIn {
  readonly cliType: string;
  readonly projectDir: string;
  readonly path: string;
}

export interface Found extends Pick<Finding, 'kind' | 'name' | 'isRefused'> {
  /** Everything that decides what runs. */
  readonly value: unknown;
  /** What to show of it. Default: the value itself. */
  readonly detail?: string;
}

const MAX_DETAIL = 2_000;
const MAX_NAME = 200;
/** More than this is shown as one entry. */
const MAX_FINDINGS = 200;

export function finding(
  { cliType, projectDir, path }: FoundIn,
  { kind, name, value, detail, isRefused }: Found,
): Finding {
  const file = relative(projectDir, path) || '.';
  const text = detail ?? (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return {
    id: hashOf([cliType, kind, name, value, file]),
    cliType,
    kind,
    name: shorten(name, MAX_NAME),
    detail: shorten(text, MAX_DETAIL),
    file,
    ...(isRefused && { isRefused }),
  };
}

/** At most a few hundred findings; the rest becomes one that stands for all of them. */
export function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  const unique = [...new Map(findings.map((each) => [each.id, each])).values()];
  const rest = unique.slice(MAX_FINDINGS);
  const [first] = rest;
  if (first === undefined) return unique;
  const id = hashOf(rest.map((each) => each.id).toSorted());
  const more: Finding = { ...first, id, kind: 'setting', name: `${rest.length} more`, detail: 'Too many to list.' };
  return [...unique.slice(0, MAX_FINDINGS), more];
}

/** The same for equal values, whatever the order of their keys. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? sorted(part) : part)) ?? 'undefined';
}

/** As pairs, because an object would put keys that look like numbers first. */
function sorted(record: Readonly<Record<string, unknown>>): unknown {
  return Object.keys(record)
    .toSorted()
    .map((key) => [key, record[key]]);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
