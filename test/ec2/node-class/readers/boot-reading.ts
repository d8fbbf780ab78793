/** What a node learns from its user data, in words that do not depend on the format. */
export interface BootReading {
  readonly cluster: string;
  readonly endpoint: string;
  readonly certificateAuthority: string;
  /** Where Services get their addresses; absent: the format does not say it. */
  readonly serviceCidr?: string;
  readonly dns: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** As in `dedicated=gpu:NoSchedule`, `karpenter.sh/unregistered:NoExecute`. */
  readonly taints: readonly string[];
  readonly usesRaid0: boolean;
  /** Every other setting, under its name in a kubelet's configuration file. */
  readonly kubelet: Readonly<Record<string, unknown>>;
}
