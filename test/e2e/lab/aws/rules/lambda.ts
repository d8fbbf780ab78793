import { entriesOf, valueAt } from '../../json.ts';
import { type AwsRequest, CLOUD_FORMATION, getRequest, refuse, textOf, withJson } from './aws-request.ts';
import type { Pass, Rule } from './rule.ts';

const MAX_ENVIRONMENT_BYTES = 4 * 1024;

/**
 * All environment variables of a function together have at most 4 KB.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const environmentSize: Rule = {
  name: 'environment size',
  answer(request, pass) {
    const variables = entriesOf(valueAt(request.parameters, 'Environment', 'Variables'));
    const bytes = variables.reduce(
      (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
      0,
    );
    if (request.service !== 'lambda' || bytes <= MAX_ENVIRONMENT_BYTES) return pass(request);
    const message =
      'Lambda was unable to configure your environment variables because the environment variables ' +
      `you have provided exceeded the 4KB limit. Bytes: ${bytes}`;
    return Promise.resolve(refuse(request, 400, 'InvalidParameterValueException', message));
  },
};

/**
 * Fewer concurrent invocations for a queue than the template allows. AWS has no such rule: in the lab
 * each invocation is a process on the cores that everything else uses.
 */
export const queueConcurrency = (max: number): Rule => ({
  name: 'queue concurrency',
  answer(request, pass) {
    const { caller, action, parameters } = request;
    const limit = valueAt(parameters, 'ScalingConfig', 'MaximumConcurrency');
    const isMapping = caller === CLOUD_FORMATION && action.endsWith('EventSourceMapping');
    if (!isMapping || typeof limit !== 'number' || limit <= max) return pass(request);
    return pass(withJson(request, { ScalingConfig: { MaximumConcurrency: max } }));
  },
});

const MIN_UNRESERVED = 100;

/**
 * The concurrency of the account. A reservation must leave 100 unreserved, so that an account with a
 * small quota, as new ones have, can reserve nothing.
 *
 * @param limit - the account's quota
 * @param emulator - answers how much other functions have reserved
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export function accountConcurrency(limit: () => number, emulator: Pass): Rule {
  async function readReservations(): Promise<ReadonlyMap<string, number>> {
    const { body } = await emulator(getRequest('lambda', '/2015-03-31/functions/'));
    const names = entriesOf(valueAt(JSON.parse(body.toString()), 'Functions')).map(([, one]) =>
      String(valueAt(one, 'FunctionName')),
    );
    const reading = names.map(async (name): Promise<[string, number]> => {
      const path = `/2019-09-30/functions/${name}/concurrency`;
      const { body: reserved } = await emulator(getRequest('lambda', path));
      const read = valueAt(JSON.parse(reserved.toString() || '{}'), 'ReservedConcurrentExecutions');
      return [name, typeof read === 'number' ? read : 0];
    });
    return new Map(await Promise.all(reading));
  }

  async function mayReserve(request: AwsRequest, amount: number): Promise<boolean> {
    const reservations = new Map(await readReservations());
    reservations.set(textOf(request, 'FunctionName'), amount);
    const sum = [...reservations.values()].reduce((total, one) => total + one, 0);
    return limit() - sum >= MIN_UNRESERVED;
  }

  return {
    name: 'account concurrency',
    async answer(request, pass) {
      if (request.service !== 'lambda') return pass(request);
      const amount = request.parameters.ReservedConcurrentExecutions;
      if (request.action === 'GetAccountSettings') {
        const answer = await pass(request);
        const text = answer.body.toString();
        const reserved = [...(await readReservations()).values()].reduce((sum, one) => sum + one, 0);
        const body = text
          .replace(/("ConcurrentExecutions":\s*)\d+/, `$1${limit()}`)
          .replace(/("UnreservedConcurrentExecutions":\s*)\d+/, `$1${limit() - reserved}`);
        return { ...answer, body: Buffer.from(body) };
      }
      const isDeletion = request.action.startsWith('Delete');
      if (typeof amount !== 'number' || isDeletion || (await mayReserve(request, amount))) return pass(request);
      const message =
        "Specified ReservedConcurrentExecutions for function decreases account's " +
        `UnreservedConcurrentExecution below its minimum value of [${MIN_UNRESERVED}].`;
      return refuse(request, 400, 'InvalidParameterValueException', message);
    },
  };
}

/** Regions of the partition `aws` that have no function URLs. */
const REGIONS_WITHOUT_URLS: ReadonlySet<string> = new Set([
  ...['ap-south-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ...['ap-east-2', 'ca-west-1', 'eu-south-2', 'eu-central-2', 'il-central-1', 'me-central-1'],
]);

/**
 * Some regions have no function URLs.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html
 */
export const functionUrls: Rule = {
  name: 'function URLs',
  answer(request, pass) {
    const { service, action, region } = request;
    const isUrl = action === 'CreateFunctionUrlConfig' || action === 'CreateUrl';
    const hasNone = REGIONS_WITHOUT_URLS.has(region) || region.startsWith('us-gov-');
    if (service !== 'lambda' || !isUrl || !hasNone) return pass(request);
    const message = `Function URLs do not exist in ${region}.`;
    return Promise.resolve(refuse(request, 403, 'AccessDeniedException', message));
  },
};
