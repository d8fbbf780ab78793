/** The Go modules whose suites we run. Both are pinned: their specs change with each release. */
export const MODULES = {
  core: { path: 'sigs.k8s.io/karpenter', version: 'v1.14.1' },
  aws: { path: 'github.com/aws/karpenter-provider-aws', version: 'v1.14.0' },
} as const;

export type ModuleName = keyof typeof MODULES;

export interface Suite {
  readonly module: ModuleName;
  /** The Go package, below `test/suites` of its module. */
  readonly package: string;
  /** Restricts the suite to specs whose full name matches. */
  readonly focus?: RegExp;
}

/** Suites by the name that `--suite` takes. */
export const SUITES: Readonly<Record<string, Suite>> = {
  regression: { module: 'core', package: 'regression' },
  expiration: { module: 'core', package: 'regression', focus: /^Expiration / },
  termination: { module: 'core', package: 'regression', focus: /^Termination / },
  nodeclaim: { module: 'aws', package: 'nodeclaim' },
  scheduling: { module: 'aws', package: 'scheduling' },
  consolidation: { module: 'aws', package: 'consolidation' },
  drift: { module: 'aws', package: 'drift' },
  interruption: { module: 'aws', package: 'interruption' },
  integration: { module: 'aws', package: 'integration' },
};

/** Run without `--suite`. */
export const DEFAULT_SUITE = 'regression';
