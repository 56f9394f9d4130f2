import type { ListingFormat } from './engine/native-listing.ts';
import { codexListing } from './providers/acp/rollout/listing.ts';
import { claudeListing } from './providers/claude/transcript/listing.ts';

/** How the agents whose files are known store their conversations. */
export const listingFormats: readonly ListingFormat[] = [claudeListing, codexListing];
