/** An unvalidated request body. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

export function asRecords(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
