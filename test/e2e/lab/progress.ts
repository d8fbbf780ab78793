/** Returns a function that writes lines to stderr, each with the seconds since now. */
export function startProgress(): (line: string) => void {
  const startedAt = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
    process.stderr.write(`${seconds}  ${line}\n`);
  };
}
