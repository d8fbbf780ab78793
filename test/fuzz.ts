/** `npm run fuzz`: histories of faults. `npm run fuzz -- fixes`: broken clusters, and the first fix of each. */
if (process.argv[2] === 'fixes') {
  process.argv.splice(2, 1);
  await import('./explain/broken/fuzz.ts');
} else {
  await import('./faults/fuzz.ts');
}
