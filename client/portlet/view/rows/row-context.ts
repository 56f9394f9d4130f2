/** What a button inside the conversation asks for. */
export type RowAction =
  | { readonly type: 'reconnect' }
  | { readonly type: 'send-again'; readonly turnId: string }
  | { readonly type: 'copy'; readonly text: string };
