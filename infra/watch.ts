import { Duration } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { EventIntake } from './constructs/event-intake.ts';
import type { HandlerFunction } from './constructs/handler-function.ts';
import { Alarms } from './constructs/monitoring/alarms.ts';
import { ClusterDashboard } from './constructs/monitoring/cluster-dashboard.ts';
import { SavedQueries } from './constructs/monitoring/saved-queries.ts';
import type { PollSource } from './constructs/poll-source.ts';
import type { Foundation } from './foundation.ts';
import { SIZED_FUNCTIONS } from './sizes.ts';
import { TIMEOUTS } from './timeouts.ts';
import type { Workers } from './workers.ts';

type WatchedFunctions = Workers &
  Readonly<Record<'clusterSetup' | 'webhookControl' | 'poll' | 'catalogRefresh', HandlerFunction>> & {
    readonly eventIntake?: HandlerFunction;
  };

/** Adds the saved queries, which cost nothing, and the alarms and the dashboard of the option. */
export function watch(
  { scope, options, queues }: Foundation,
  functions: WatchedFunctions,
  { poll, intake }: { readonly poll: PollSource; readonly intake: EventIntake | undefined },
): void {
  const { cluster, alarmTopicArn } = options;
  const { plan, disrupt, claim, sweep, interruption } = queues;
  const deadLetters = { ...queues.deadLetters, poll: poll.deadLetters };
  const topic = alarmTopicArn && Topic.fromTopicArn(scope, 'AlarmTopic', alarmTopicArn);

  new SavedQueries(scope, 'SavedQueries', {
    cluster,
    logGroups: Object.values(functions).map(({ logGroup }) => logGroup),
  });
  if (options.monitoring === 'none') return;
  new Alarms(scope, 'Alarms', {
    cluster,
    functions,
    sized: SIZED_FUNCTIONS.map((name) => ({ fn: functions[name], timeout: TIMEOUTS[name] })),
    deadLetters,
    maxAge: [
      { name: 'plan', queue: plan, age: Duration.minutes(1) },
      { name: 'interruption', queue: interruption, age: Duration.minutes(1) },
    ],
    ...(intake && { intake }),
    followsShifts: options.followsShifts,
    attention: {
      sweep: functions.sweep.logGroup,
      provisioning: functions.provisioning.logGroup,
      disruption: functions.disruption.logGroup,
      launching: [functions.provisioning.logGroup, functions.disruption.logGroup, functions.nodeLifecycle.logGroup],
    },
    actions: topic ? [new SnsAction(topic)] : [],
  });
  if (options.monitoring !== 'all') return;
  new ClusterDashboard(scope, 'Dashboard', {
    cluster,
    functions: Object.values(functions),
    eventLogs: [functions.provisioning, functions.nodeLifecycle].map(({ logGroup }) => logGroup),
    queues: [plan, disrupt, claim, sweep, interruption, queues.class, poll.queue],
    deadLetters: Object.values(deadLetters),
  });
}
