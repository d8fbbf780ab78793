/** The package types its ES module as CommonJS, so that its default export has the wrong type there. */
declare module 'highs' {
  export default function loadHighs(): Promise<{
    /** @param problem - in CPLEX LP format */
    solve(problem: string): { readonly Status: string; readonly ObjectiveValue: number };
  }>;
}
