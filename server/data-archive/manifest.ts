import { z } from 'zod';

/** The first entry says what the archive is, the last one what it must contain. */
export const HEAD = 'liminal-builder.json';
export const MANIFEST = 'manifest.json';
/** Before the path of every file of the data directory. */
export const DATA = 'data/';

export const ARCHIVE_FORMAT = 'liminal-builder-data';
export const ARCHIVE_VERSION = 1;
export const MAX_FILES = 1_000_000;

export const headSchema = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.int().positive(),
  createdAt: z.string(),
  program: z.string(),
});
export type ArchiveHead = z.infer<typeof headSchema>;

export const fileSchema = z.object({
  path: z.string(),
  size: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ArchivedFile = z.infer<typeof fileSchema>;

export const manifestSchema = z.object({ files: z.array(fileSchema).max(MAX_FILES) });
