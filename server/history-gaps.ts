/** What the history of an agent may lack although the model has it. */
export interface HistoryGaps {
  readonly calls?: boolean;
  readonly thinking?: boolean;
}
