import fc from 'fast-check';

// What every change must pass hangs on no chance. Everywhere else each run looks at other cases.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
