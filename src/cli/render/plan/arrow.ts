export interface Arrow {
  from: number;
  to: number;
}
