/** The default settings of contract calls, with changes. */
import { bindSettings } from '../../../config/bind.ts';
import { type Web3Settings, web3Settings } from '../../../config/settings/web3.ts';

const defaults = bindSettings(
  web3Settings,
  { kind: 'branch', children: new Map(), sequence: false, origin: '' },
  () => undefined,
).settings as Web3Settings;

export interface Web3Changes extends Partial<Omit<Web3Settings, 'evm' | 'throttle'>> {
  readonly evm?: Partial<Web3Settings['evm']>;
  readonly throttle?: Partial<Web3Settings['throttle']>;
}

export const web3SettingsWith = ({ evm, throttle, ...changes }: Web3Changes = {}): Web3Settings => ({
  ...defaults,
  ...changes,
  evm: { ...defaults.evm, ...evm },
  throttle: { ...defaults.throttle, ...throttle },
});
