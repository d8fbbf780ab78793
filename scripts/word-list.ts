/**
 * The words that this repository replaces, and what to write instead. `npm run check` rejects them
 * (scripts/check-words.ts). Add a word here when a review finds one that a Karpenter or Kubernetes
 * engineer would not understand.
 */
export interface Replacement {
  /** Words in lower case; plurals and other forms are listed one by one. */
  readonly words: readonly string[];
  readonly use: string;
}

/** Rejected in identifiers (as a part between capitals or underscores), comments, test titles, docs. */
export const WORDS: readonly Replacement[] = [
  {
    words: ['rehearse', 'rehearsed', 'rehearses', 'rehearsal', 'rehearsals'],
    use: 'simulate binding',
  },
  { words: ['theatre', 'theatres'], use: 'SimulationContext' },
  { words: ['luck', 'lucky'], use: 'random seed, map iteration order' },
  { words: ['doom', 'dooms', 'doomed'], use: 'termination reason' },
  { words: ['patience', 'patient'], use: 'client timeouts' },
  { words: ['doorkeeper'], use: 'hook token verifier' },
  { words: ['dearest', 'dearer'], use: 'most expensive, more expensive, most valuable' },
  { words: ['mend', 'mends', 'mended', 'mending'], use: 'repair, local search' },
  { words: ['annealed'], use: 'simulated annealing' },
  {
    words: ['liking', 'likings', 'leaning', 'leanings', 'dislikes'],
    use: 'preference, affinity weight',
  },
  { words: ['foresee', 'foresees', 'foreseen'], use: 'simulate Karpenter, predict' },
  { words: ['retrace', 'retraced', 'retraces'], use: 'replay' },
  {
    words: ['refute', 'refuted', 'refutes', 'doubts', 'doubted'],
    use: 'counterexample, adversarial orders',
  },
  { words: ['forgo', 'forgone'], use: 'drop, give up' },
  { words: ['bargain', 'bargains'], use: 'cheapest offer' },
  { words: ['crowd', 'crowds'], use: 'EligibilityGroup' },
  { words: ['machineroom'], use: 'instances' },
];

/** Rejected in identifiers only: in prose these words have a plain meaning. */
export const IDENTIFIER_WORDS: readonly Replacement[] = [
  { words: ['stall', 'stalls'], use: 'OfferGroup' },
  { words: ['visitor', 'visitors'], use: 'eligiblePods' },
  { words: ['menu'], use: 'PricedPods' },
  { words: ['cast'], use: 'PodClassModel' },
  { words: ['tally', 'tallies'], use: 'TopologyCounter' },
  { words: ['telling'], use: 'adversarialOrders' },
  { words: ['hardened', 'hardening', 'harden'], use: 'repair' },
  { words: ['drafting', 'draft', 'drafts'], use: 'PackingState, NewNode' },
  { words: ['bins'], use: 'ExistingNode' },
  { words: ['wish', 'wishes'], use: 'NodePreference' },
  { words: ['worth'], use: 'shadowPrice' },
  { words: ['lessons', 'lesson'], use: 'domainCaps' },
  { words: ['readings'], use: 'batchVariants' },
  { words: ['book', 'books'], use: '...Tracker, ...State' },
  { words: ['settle', 'settled', 'settles'], use: 'resolve, recover, isSteady' },
  { words: ['tend', 'tends', 'tended'], use: 'reconcile' },
  { words: ['turn', 'turns'], use: 'batch, reconcileOnce' },
  { words: ['guests', 'guest'], use: 'kubelets' },
  { words: ['lot', 'lots'], use: 'SeededRandom, randomOrder' },
];

/** Rejected as the first part of a constant. */
export const CONSTANT_PREFIXES: readonly Replacement[] = [
  { words: ['most', 'longest'], use: 'MAX_*' },
  { words: ['least'], use: 'MIN_*' },
];

/** Rejected as a whole identifier. */
export const IDENTIFIERS: readonly Replacement[] = [
  { words: ['most', 'longest', 'least'], use: 'max..., min...' },
  { words: ['way', 'ways'], use: 'Relaxation' },
  {
    words: ['known', 'found', 'left', 'wanted', 'asked', 'seen', 'told'],
    use: 'what the value is: cached, existing, remainingPods, requestedTypes',
  },
  { words: ['placeOf', 'place', 'places'], use: 'domainKey, topologyDomains' },
  {
    words: ['Verdict', 'Outcome', 'Place', 'Refusal', 'Market', 'Unit'],
    use: 'the full name: PodEligibility, LaunchOutcome, PodGroup',
  },
  { words: ['dry'], use: 'unavailable, insufficientCapacity (dry run keeps its meaning)' },
  { words: ['journal'], use: 'DecisionLog, EventRecorder' },
];

/** Rejected in comments, test titles and docs only. */
export const PROSE_WORDS: readonly Replacement[] = [
  {
    words: ['who', 'whom', 'whoever', 'nobody', 'somebody', 'anybody', 'everybody'],
    use: 'the name of the actor: the planner, the sweep, the API server',
  },
  { words: ['weather'], use: 'expected result' },
];

/** Rejected where a comment or docstring begins, and what a sentence begins with instead. */
export const OPENINGS: readonly { readonly pattern: RegExp; readonly use: string }[] = [
  { pattern: /^(Of|What|Whether|Who|How many|How much)\b/, use: 'a subject and a verb' },
  { pattern: /\babsent:/i, use: '"undefined if ..."' },
];

/** Names of fields in published formats, by file: scripts and stored records depend on them. */
export const FIELD_NAMES: Readonly<Record<string, readonly string[]>> = {
  'cli/instance-types/select-types.ts': ['wanted'],
  'console/views.ts': ['dry'],
  'functions/poll/parse-message.ts': ['turn'],
  'shared/aws/queues/poll-loop.ts': ['turn'],
  'shared/controllers/webhooks/poll.ts': ['turn'],
  'shared/scheduling/devices/allocate-devices.ts': ['wanted', 'found'],
  'shared/scheduling/explanation/device-reasons.ts': ['found'],
  'shared/ports/work-queue.ts': ['turn'],
  'test/aws/queues/poll-loop.test.ts': ['turn'],
  'test/aws/support/written-rows.ts': ['turn'],
  'test/contracts/work-queue-contract.ts': ['turn'],
  'test/controllers/webhooks/fake-poll.ts': ['turn'],
  'test/controllers/webhooks/poll.test.ts': ['turn'],
};
