/** The conditions of a NodeClaim whose node Karpenter has initialized. */
export const initializedConditions = (): readonly object[] =>
  ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  }));
