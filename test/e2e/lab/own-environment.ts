import { PATH } from './repository.ts';

/**
 * The environment of what the lab starts: this process's, without anything that leads to an account
 * of AWS' or to a cluster of somebody's.
 */
export const ownEnvironment = (
  more: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(AWS|CDK)_|^KUBECONFIG$/.test(name),
  );
  return { ...Object.fromEntries(inherited), PATH, ...more };
};
