import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';

/** Everything a core or processor emitted, in order. */
export interface OutputLog {
  readonly all: (UpsertObject | TurnEvent)[];
  readonly onUpsert: (upsert: UpsertObject) => void;
  readonly onTurn: (event: TurnEvent) => void;
  upserts(itemId?: string): UpsertObject[];
  turns(turnId?: string): TurnEvent[];
  /** One word per emission: `message:create`, `turn_started`, … */
  outline(): string[];
  statuses(itemId: string): string[];
  contents(itemId: string): string[];
}

export function isUpsert(output: UpsertObject | TurnEvent): output is UpsertObject {
  return 'itemId' in output;
}

export function createOutputLog(): OutputLog {
  const all: (UpsertObject | TurnEvent)[] = [];
  const upserts = (itemId?: string) =>
    all.filter(isUpsert).filter((upsert) => itemId === undefined || upsert.itemId === itemId);

  return {
    all,
    onUpsert: (upsert) => all.push(upsert),
    onTurn: (event) => all.push(event),
    upserts,
    turns: (turnId) =>
      all
        .filter((output): output is TurnEvent => !isUpsert(output))
        .filter((event) => turnId === undefined || event.turnId === turnId),
    outline: () => all.map((output) => (isUpsert(output) ? `${output.type}:${output.status}` : output.type)),
    statuses: (itemId) => upserts(itemId).map((upsert) => upsert.status),
    contents: (itemId) => upserts(itemId).map((upsert) => ('content' in upsert ? upsert.content : '')),
  };
}

/** `count` words, numbered from `first`, each followed by a blank. */
export function words(count: number, first = 1): string {
  return Array.from({ length: count }, (_, i) => `w${first + i} `).join('');
}
