/** A prompt of a keyboard-interactive round. */
export interface InteractivePrompt {
  readonly prompt: string;
  readonly echo: boolean;
}

/**
 * Whether a stored password may answer a round: one single hidden prompt whose text asks for a password and for nothing that is used
 * once. Source: ssh.md 2.2.
 */
export function isPasswordRound(prompts: readonly InteractivePrompt[]): boolean {
  const [only, ...others] = prompts;
  if (only === undefined || others.length > 0 || only.echo) return false;
  if (
    /code|token|\bpin\b|otp|one.?time|verification|passcode|authenticator|factor|challenge|new password/i.test(
      only.prompt,
    )
  )
    return false;
  return /password|passwort|passwd|mot de passe|contraseña|senha|пароль|密码|パスワード/i.test(only.prompt);
}
