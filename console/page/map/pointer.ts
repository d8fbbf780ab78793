/** What the pointer is over, and where on the screen. */
export interface Spot {
  readonly node: string;
  /** Key of the pod under it. */
  readonly pod?: string;
  readonly clientX: number;
  readonly clientY: number;
}
