/** An element that shows a value. Calling `update` with the value it already shows does nothing. */
export interface View<T> {
  readonly element: HTMLElement;
  update(value: T): void;
}
