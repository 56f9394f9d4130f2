import type { PartRequest } from '../../shared/markdown/format-part.ts';
import type { HighlightRequest } from '../../shared/markdown/highlight-pieces.ts';
import type { CompareRequest } from '../view/text/drawing.ts';

/** What the page asks its worker to do. Both come from the same build, so this is not parsed. */
export type WorkRequest =
  | { readonly kind: 'format'; readonly request: PartRequest }
  | { readonly kind: 'highlight'; readonly request: HighlightRequest }
  | { readonly kind: 'compare'; readonly request: CompareRequest };
