/** A prompt of a keyboard-interactive round. */
export interface InteractivePrompt {
  readonly prompt: string;
  readonly echo: boolean;
}

/**
 * What a round asks for, as far as its text says. `password` is the password of the account and nothing else; `newPassword` and
 * `newPasswordAgain` are steps of a password change; everything doubtful is `other`.
 */
export type RoundMeaning = 'password' | 'newPassword' | 'newPasswordAgain' | 'other';

const usedOnce =
  /code|token|\bpin\b|\botp\b|one.?time|verif|passcode|authenticator|factor|challenge|einmal|код|验证码|驗證碼|認証|동적/iu;
const password =
  /password|passwort|kennwort|passwd|mot de passe|contraseña|senha|wachtwoord|lösenord|hasło|пароль|密码|密碼|パスワード|비밀번호/iu;
const isNew = /\bnew\b|neue[srn]?\b|nouveau|nueva|\bnova\b|nieuw|nytt|nowe|новый|新/iu;
const again =
  /retype|re-?enter|repeat|again|confirm|wiederhol|erneut|encore|confirma|повтор|再次|确认|確認|もう一度/iu;
const isOld = /\bcurrent\b|\bold\b|aktuelle|altes|actuel|ancien|actual|antigua|текущ|стар|当前|現在/iu;

/**
 * Only a round of one single hidden prompt can ask for a password. PAM puts its messages in front of the prompt, so the last line is
 * the question; a code that is mentioned anywhere makes it doubtful. Source: ssh.md 2.2.
 */
export function roundMeaning(prompts: readonly InteractivePrompt[]): RoundMeaning {
  const [only, ...others] = prompts;
  if (only === undefined || others.length > 0 || only.echo) return 'other';
  const question =
    only.prompt
      .trimEnd()
      .split(/\r\n|\r|\n/)
      .at(-1) ?? '';
  if (usedOnce.test(only.prompt) || !password.test(question) || isOld.test(question)) return 'other';
  if (again.test(question)) return 'newPasswordAgain';
  return isNew.test(question) ? 'newPassword' : 'password';
}
