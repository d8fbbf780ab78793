import { entriesOf, isRecord, valueAt } from '../json.ts';

/** The emulator refuses these with "Unrecognized resource types". */
const UNKNOWN = new Set([
  'AWS::EKS::AccessEntry',
  'AWS::Logs::QueryDefinition',
  'AWS::CloudWatch::CompositeAlarm',
]);
const NOTHING = 'AWS::CloudFormation::WaitConditionHandle';

/** The lowest limit that Lambda knows. */
const MIN_CONCURRENCY = 2;

/** A resource without effect has no attributes: the ARN of an access entry becomes a plain text. */
const ACCESS_ENTRY = 'arn:aws:eks:us-east-1:000000000000:access-entry/lab/role/left-out';
const ATTRIBUTE = /\{\s*"Fn::GetAtt":\s*\[\s*"\w+",\s*"AccessEntryArn"\s*\]\s*\}/g;

/**
 * Adapts a template to an emulator of CloudFormation that does not support all resource types. An
 * unsupported resource becomes one without effect under the same logical id; the lab reads its
 * properties where it replaces the service.
 *
 * @param template - JSON
 * @param maxConcurrency - the most concurrent invocations for a queue: each of them is a process on
 *   the cores that everything else uses
 */
export function leaveOutUnsupported(template: string, maxConcurrency = MIN_CONCURRENCY): string {
  const whole: unknown = JSON.parse(template);
  if (!isRecord(whole)) return template;
  const resources: Record<string, unknown> = {};
  for (const [id, resource] of entriesOf(whole.Resources))
    resources[id] = adapt(resource, maxConcurrency);
  return JSON.stringify({ ...whole, Resources: resources }).replace(
    ATTRIBUTE,
    JSON.stringify(ACCESS_ENTRY),
  );
}

function adapt(resource: unknown, maxConcurrency: number): unknown {
  if (!isRecord(resource)) return resource;
  const { Type, Properties, Metadata, ...rest } = resource;
  if (isUnsupported(resource)) {
    const metadata = isRecord(Metadata) ? Metadata : {};
    return { ...rest, Type: NOTHING, Metadata: { ...metadata, LeftOut: { Type, Properties } } };
  }
  if (Type !== 'AWS::Lambda::EventSourceMapping' || !isRecord(Properties)) return resource;
  const limit = valueAt(Properties, 'ScalingConfig', 'MaximumConcurrency');
  if (typeof limit !== 'number') return resource;
  const ScalingConfig = { MaximumConcurrency: Math.min(limit, maxConcurrency) };
  return { ...resource, Properties: { ...Properties, ScalingConfig } };
}

/** The emulator knows alarms, but not those over several metrics. */
const isUnsupported = (resource: Readonly<Record<string, unknown>>): boolean =>
  UNKNOWN.has(String(resource.Type)) ||
  (resource.Type === 'AWS::CloudWatch::Alarm' &&
    valueAt(resource, 'Properties', 'Metrics') !== undefined);
