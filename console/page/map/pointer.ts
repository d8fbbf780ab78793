/** The object under the pointer and its position on the screen. */
export interface Spot {
  readonly node: string;
  /** Key of the pod under the pointer. */
  readonly pod?: string;
  readonly clientX: number;
  readonly clientY: number;
}
