import type { UpsertObject } from '../../shared/stream-contracts.ts';

export type UpsertStatus = UpsertObject['status'];

export interface ItemFailure {
  readonly code: string;
  readonly message: string;
}

/** How a turn ended, for its open items. */
export type TurnEnding = 'completed' | 'cancelled' | ItemFailure;

export interface ItemIdentity {
  readonly turnId: string;
  readonly itemId: string;
  readonly parentItemId: string | undefined;
}

/** The part of an upsert that does not depend on the kind of item. */
export interface Emission {
  readonly item: ItemIdentity;
  readonly status: UpsertStatus;
  readonly sourceTimestamp: string;
  readonly failure?: ItemFailure | undefined;
}

/** An item that has begun and not ended. Remove it from the register before ending it. */
export interface OpenItem extends ItemIdentity {
  fail(failure: ItemFailure, sourceTimestamp: string): void;
  /** Ends the item without emitting anything. */
  drop(): void;
  endWithTurn(ending: TurnEnding, sourceTimestamp: string): void;
}
