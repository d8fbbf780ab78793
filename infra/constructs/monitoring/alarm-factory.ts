import { Duration, Names } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IAlarmAction,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type SavedQuery, savedQueryName } from './saved-queries.ts';

/** The query and the command to begin with; the description of the alarm ends with them. */
interface FirstLook {
  readonly query?: SavedQuery;
  /** Without `mortise`, and without the cluster, which is added. */
  readonly command?: string;
}

type Described = AlarmProps & FirstLook & { readonly alarmDescription: string };
type Threshold = Pick<Described, 'alarmDescription' | 'metric'> & Partial<Described>;

/** Creates alarms whose descriptions say what to look at first. */
export interface AlarmFactory {
  add(name: string, props: Described): void;
  /** Adds an alarm on a metric above a threshold: 0 in one period, unless `props` say otherwise. */
  addAbove(name: string, props: Threshold): void;
  /** Adds an alarm that a single log line of one of the kinds triggers. */
  addOnEvent(
    name: string,
    logGroups: ILogGroup | readonly ILogGroup[],
    kinds: string | readonly string[],
    alarmDescription: string,
  ): void;
}

export function createAlarmFactory(
  scope: Construct,
  { cluster, actions }: { readonly cluster: string; readonly actions: readonly IAlarmAction[] },
): AlarmFactory {
  const add: AlarmFactory['add'] = (name, { query, command, alarmDescription, ...props }) => {
    const looks = [
      ...(query ? [`Saved query: ${savedQueryName(cluster, query)}`] : []),
      ...(command === undefined ? [] : [`Ask: mortise ${command} --cluster ${cluster}`]),
    ];
    const description = [alarmDescription, ...looks].join('. ');
    const alarm = new Alarm(scope, name, { ...props, alarmDescription: description });
    alarm.addAlarmAction(...actions);
  };
  const addAbove: AlarmFactory['addAbove'] = (name, props) =>
    add(name, {
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: 0,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
    });
  return {
    add,
    addAbove,
    addOnEvent(name, logGroups, kinds, alarmDescription) {
      const patterns = [kinds].flat().map((kind) => FilterPattern.stringValue('$.event.kind', '=', kind));
      const filters = [logGroups].flat().map(
        (logGroup, index) =>
          new MetricFilter(scope, `${name}Lines${index || ''}`, {
            logGroup,
            filterPattern: FilterPattern.any(...patterns),
            metricNamespace: 'Mortise',
            // Without a line there is no value, and no cost.
            metricName: `${Names.uniqueId(scope)}-${[kinds].flat().join('-')}`,
          }),
      );
      // All filters count into one metric.
      const metric = filters[0]?.metric({ period: Duration.minutes(1), statistic: 'Sum' });
      if (metric) addAbove(name, { alarmDescription, metric });
    },
  };
}
