/** Counts requests by sender and service, and remembers what was denied. */
export interface RightsReport {
  count(sender: string, service: string): void;
  deny(sender: string, action: string, reason: string): void;
  /** One line for each sender: how many of its requests each service has received. */
  lines(): readonly string[];
  /**
   * @throws Error - a request was denied since the start
   */
  check(): void;
}

export function createRightsReport(): RightsReport {
  const counts = new Map<string, Map<string, number>>();
  const denials = new Map<string, number>();
  const total = (numbers: Iterable<number>): number =>
    [...numbers].reduce((sum, one) => sum + one, 0);

  return {
    count(sender, service) {
      const ofSender = counts.get(sender) ?? new Map<string, number>();
      ofSender.set(service, (ofSender.get(service) ?? 0) + 1);
      counts.set(sender, ofSender);
    },
    deny(sender, action, reason) {
      const line = `${sender}: ${action}: ${reason}`;
      denials.set(line, (denials.get(line) ?? 0) + 1);
    },
    lines() {
      const all = total([...counts.values()].map((ofSender) => total(ofSender.values())));
      const rows = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
      return [
        `requests evaluated: ${all}, denied: ${total(denials.values())}`,
        ...rows.map(([sender, ofSender]) => {
          const services = [...ofSender].toSorted(([one], [other]) => one.localeCompare(other));
          return `  ${sender}: ${services.map(([service, count]) => `${service} ${count}`).join(', ')}`;
        }),
        ...[...denials].map(([line, count]) => `  DENIED ${count} times: ${line}`),
      ];
    },
    check() {
      if (denials.size === 0) return;
      throw new Error(`requests were denied:\n${[...denials.keys()].join('\n')}`);
    },
  };
}
