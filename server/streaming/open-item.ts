import type { UpsertObject } from '../../shared/stream-contracts.ts';

export type UpsertStatus = UpsertObject['status'];

export interface ItemFailure {
  readonly code: string;
  readonly message: string;
}

/** How a turn ended, for the items that were still open at that moment. */
export type TurnEnding = 'completed' | 'cancelled' | ItemFailure;

export interface ItemIdentity {
  readonly turnId: string;
  readonly itemId: string;
  readonly parentItemId: string | undefined;
}

/** What every upsert of an item carries apart from its content. */
export interface Emission {
  readonly item: ItemIdentity;
  readonly status: UpsertStatus;
  readonly sourceTimestamp: string;
  readonly failure?: ItemFailure | undefined;
}

/** An item that has begun and not ended. Whoever ends it takes it out of the list of open items first. */
export interface OpenItem extends ItemIdentity {
  fail(failure: ItemFailure, sourceTimestamp: string): void;
  /** Nothing more is emitted for it. */
  drop(): void;
  endWithTurn(ending: TurnEnding, sourceTimestamp: string): void;
}
