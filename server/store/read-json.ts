import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { describeProblems } from '../../shared/parse.ts';

/** Migrates the content from one version to the next. */
export type Migration = (contents: Record<string, unknown>) => Record<string, unknown>;

export interface JsonFormat<T> {
  readonly version: number;
  /** The content of the file without its version. */
  readonly schema: z.ZodType<T>;
  /** Keyed by the version they migrate from; one for every earlier version. */
  readonly migrations?: Readonly<Record<number, Migration>>;
}

export type ReadResult<T> =
  | { readonly ok: true; readonly value: T; readonly migrated: boolean }
  | { readonly ok: false; readonly reason: string };

const envelopeSchema = z.looseObject({ version: z.int() });

/** Throws SERVER_NEWER_DATA for a file of a newer version; every other problem is returned. */
export function readJson<T>(bytes: Uint8Array, format: JsonFormat<T>, path: string): ReadResult<T> {
  const parsed = parse(bytes);
  if (!parsed.ok) return parsed;
  const envelope = envelopeSchema.safeParse(parsed.value);
  if (!envelope.success) return { ok: false, reason: describeProblems(envelope.error) };

  const { version, ...contents } = envelope.data;
  if (version > format.version) throw newerData(path, version, format.version);
  const current = migrate(contents, version, format);
  if (!current.ok) return current;
  const result = format.schema.safeParse(current.value);
  return result.success
    ? { ok: true, value: result.data, migrated: version < format.version }
    : { ok: false, reason: describeProblems(result.error) };
}

type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

function parse(bytes: Uint8Array): Step<unknown> {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch (error) {
    return { ok: false, reason: `not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

function migrate<T>(
  contents: Record<string, unknown>,
  from: number,
  { version: to, migrations = {} }: JsonFormat<T>,
): Step<Record<string, unknown>> {
  let value = contents;
  for (let version = from; version < to; version += 1) {
    const migration = migrations[version];
    if (migration === undefined) return { ok: false, reason: `version ${version} is not known` };
    try {
      value = migration(value);
    } catch (error) {
      return { ok: false, reason: `version ${version} could not be brought up to date: ${error}` };
    }
  }
  return { ok: true, value };
}

function newerData(path: string, found: number, known: number): AppError {
  return new AppError(
    'SERVER_NEWER_DATA',
    `${path} was written by a newer version (format ${found}; this one knows ${known}). Update Liminal Builder, or choose another data directory.`,
    { details: { path, found, known } },
  );
}
