import { answerTo } from '../ec2/ec2-feature.ts';
import { editInstances } from '../ec2/instances-xml.ts';
import { queryRequest, refuse, withParameters } from './aws-request.ts';
import type { Rule } from './rule.ts';

const NAME = 'InstanceId.';

/**
 * EC2 reboots running instances, and ignores requests about terminated ones. The emulator starts an
 * instance again that was stopped or terminated. It refuses unknown ids as EC2 does.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RebootInstances.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html, "IncorrectInstanceState"
 */
export const rebootStates: Rule = {
  name: 'states of rebooted instances',
  async answer(request, pass) {
    const { service, action, parameters } = request;
    const isReboot = service === 'ec2' && action === 'RebootInstances' && parameters.DryRun !== 'true';
    if (!isReboot) return pass(request);
    const named = Object.entries(parameters).filter(([name]) => name.startsWith(NAME));
    const states = new Map<string, string>();
    const ids = Object.fromEntries(named.map(([name, id]) => [name, String(id)]));
    const described = await pass(queryRequest('ec2', { Action: 'DescribeInstances', ...ids }));
    editInstances(described, (xml, id) => {
      states.set(id, /<instanceState>[\s\S]*?<name>([\w-]+)<\/name>/.exec(xml)?.[1] ?? '');
      return xml;
    });
    // The emulator names the unknown id.
    if (described.status >= 300) return pass(request);
    const stopped = [...states].find(([, state]) => state !== 'running' && state !== 'terminated');
    if (stopped) {
      const [id, state] = stopped;
      const message = `The instance '${id}' is ${state}, a state from which it cannot be rebooted.`;
      return refuse(request, 400, 'IncorrectInstanceState', message);
    }
    const running = [...states].flatMap(([id, state]) => (state === 'running' ? [id] : []));
    if (running.length === 0) return answerTo(action, '<return>true</return>');
    const others = Object.entries(parameters).filter(([name]) => !name.startsWith(NAME));
    const numbered = running.map((id, index): [string, unknown] => [`${NAME}${index + 1}`, id]);
    return pass(withParameters(request, Object.fromEntries([...others, ...numbered])));
  },
};
