import {
  ApiForbiddenError,
  ApiThrottledError,
  ApiUnauthorizedError,
  ApiUnreachableError,
  KindNotServedError,
} from '../../shared/kubernetes/client/api-errors.ts';
import { NODES, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import { type CliError, fail, type KnownProblem } from '../errors.ts';
import { CredentialPluginError, KubeconfigError, type KubeconfigProblem } from './kubeconfig.ts';

/**
 * Calls a cluster and turns its errors into errors of the command.
 *
 * @param where - the cluster and the way to reach it, for messages
 * @throws CliError - `bad-kubeconfig`, `credentials-missing`, `credentials-expired`, `forbidden`,
 *   `cluster-unreachable`, `crd-missing`
 */
export async function callCluster<T>(where: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw toClusterProblem(where, error) ?? error;
  }
}

/** OpenSSL adds the position in its own source, over several lines. */
const withoutLibraryTrace = (message: string): string =>
  message.replace(/write EPROTO [\s\S]*SSL routines:[^:]*:([^:]+):[\s\S]*/, 'TLS failed: $1').trim();

/** Every API server has these. */
const CORE_RESOURCES: ReadonlySet<string> = new Set(['version', PODS.name, NODES.name]);

/** Returns undefined for an error that the user cannot resolve. */
function toClusterProblem(where: string, error: unknown): CliError | undefined {
  const toError = (problem: KnownProblem): CliError => fail(problem, { cause: error });
  if (error instanceof KubeconfigError) {
    const { file, field, why } = error.problem;
    return toError({
      code: 'bad-kubeconfig',
      what: 'the kubeconfig cannot be used',
      where: field === '' ? file : `${file}, ${field}`,
      why: field === '' ? why : `${field} ${why}`,
      fix: fixOfKubeconfig(error.problem),
    });
  }
  if (error instanceof CredentialPluginError) {
    const { command, message: why, hint } = error;
    const what = `${command} gave no credentials`;
    const fix = hint ?? `run ${command} by hand, and repair what it reports`;
    return toError({ code: 'credentials-missing', what, where, why, fix });
  }
  if (error instanceof ApiUnauthorizedError) {
    const what = 'the API server does not know us';
    const fix = 'check the access entry, or the user of the context';
    return toError({ code: 'credentials-expired', what, where, why: error.message, fix });
  }
  if (error instanceof ApiForbiddenError) {
    const { verb, resource } = error.action;
    return toError({
      code: 'forbidden',
      what: `may not ${verb} ${resource}`,
      where,
      why: error.message,
    });
  }
  if (error instanceof KindNotServedError) {
    if (CORE_RESOURCES.has(error.resource)) {
      const what = 'no API server of Kubernetes answers there';
      const why = `it does not know ${error.resource}`;
      return toError({
        code: 'bad-kubeconfig',
        what,
        where,
        why,
        fix: 'check the server of the context',
      });
    }
    const what = `the API server does not know ${error.resource}`;
    const fix = 'mortise deploy installs the CRDs';
    return toError({ code: 'crd-missing', what, where, why: 'its CRD is not installed', fix });
  }
  if (error instanceof ApiUnreachableError || error instanceof ApiThrottledError) {
    const what = 'the API server does not answer';
    const fix = 'check its address and the network; a private endpoint answers inside its VPC';
    const why = withoutLibraryTrace(error.message);
    return toError({ code: 'cluster-unreachable', what, where, why, fix });
  }
  return undefined;
}

function fixOfKubeconfig({ why, fix, validNames = [] }: KubeconfigProblem): string {
  if (fix !== undefined) return fix;
  const similar = didYouMean(/names the \w+ (\S+),/.exec(why)?.[1] ?? '', validNames);
  if (similar !== undefined) return similar;
  if (validNames.length > 0) return `one of ${validNames.join(', ')}`;
  return 'correct the file, or let `aws eks update-kubeconfig --name CLUSTER` write it';
}
