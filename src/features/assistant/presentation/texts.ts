import type { ReviewFailureCode, RiskLevel, UserAuthorization } from '../../../agentkit/index.ts';
import type { Strings } from '../../../webview/assistant/protocol.ts';

/** The editor's `l10n`, as far as texts need it; a parameter, so that everything here runs without the editor. */
export interface Localiser {
  t(message: string, ...args: (string | number | boolean)[]): string;
}

/** Every sentence of the assistant view for a person. */
export type AssistantTexts = ReturnType<typeof assistantTexts>;

export function assistantTexts(l10n: Localiser) {
  return {
    newConversation: () => l10n.t('New Conversation'),
    starting: () => l10n.t('Starting'),

    exit: (code: number) => l10n.t('exit {0}', code),
    signal: (name: string) => l10n.t('signal {0}', name),
    outcomeUnknown: () => l10n.t('outcome unknown'),
    timedOut: () => l10n.t('timed out'),
    stillRunning: () => l10n.t('still running'),
    notRun: () => l10n.t('not run'),
    unknownReason: () =>
      l10n.t('It was sent and no answer was recorded. It may have happened: check before you repeat it.'),
    neverSentReason: () => l10n.t('It was never sent.'),

    statusConnecting: () => l10n.t('Connecting to the model'),
    statusFirstToken: () => l10n.t('Waiting for the first token'),
    statusReasoning: () => l10n.t('Thinking'),
    statusWriting: () => l10n.t('Writing'),
    statusApproval: () => l10n.t('Waiting for your decision'),
    statusUser: () => l10n.t('Waiting for your answer'),
    statusHost: (host: string) => l10n.t('Waiting for {0} to answer', host),
    statusHosts: () => l10n.t('Waiting for a host to answer'),
    statusTool: (host: string) => l10n.t('Running on {0}', host),
    statusTools: (count: number) => l10n.t('Running {0} calls', count),
    statusCall: () => l10n.t('Running a call'),
    statusReview: () => l10n.t('Security review'),
    statusRetry: (attempt: number, seconds: number) =>
      l10n.t('The model did not answer. Attempt {0} starts in {1} s', attempt, seconds),
    statusStopping: () => l10n.t('Stopping'),

    tier: (tier: string) => {
      switch (tier) {
        case 'prod':
          return l10n.t('production');
        case 'stage':
          return l10n.t('staging');
        case 'dev':
          return l10n.t('development');
        default:
          return '';
      }
    },

    mode: (mode: 'ask' | 'review' | 'full') => {
      switch (mode) {
        case 'ask':
          return l10n.t('Ask for approval');
        case 'review':
          return l10n.t('Approve for me');
        case 'full':
          return l10n.t('Full access');
      }
    },

    reviewAllowed: () => l10n.t('Allowed by the security review'),
    reviewDenied: () => l10n.t('Denied by the security review'),
    reviewRisk: (risk: RiskLevel) => {
      switch (risk) {
        case 'low':
          return l10n.t('low risk');
        case 'medium':
          return l10n.t('medium risk');
        case 'high':
          return l10n.t('high risk');
        case 'critical':
          return l10n.t('critical risk');
      }
    },
    reviewAuthorization: (authorization: UserAuthorization) => {
      switch (authorization) {
        case 'unknown':
          return l10n.t('your words say nothing about it');
        case 'low':
          return l10n.t('hardly covered by your words');
        case 'medium':
          return l10n.t('covered by your words');
        case 'high':
          return l10n.t('clearly covered by your words');
      }
    },
    reviewFailed: (code: ReviewFailureCode) => {
      switch (code) {
        case 'noReviewer':
          return l10n.t('Not allowed: no review model is chosen, or it is set up no more.');
        case 'unauthorized':
          return l10n.t('Not allowed: the review model refused the key or may not be used.');
        case 'timeout':
          return l10n.t('Not allowed: the security review took longer than 30 seconds.');
        case 'cancelled':
          return l10n.t('Not allowed: the security review was cancelled.');
        case 'unreachable':
          return l10n.t('Not allowed: the review model could not be reached or failed.');
        case 'invalidVerdict':
          return l10n.t('Not allowed: the review model gave no valid verdict.');
        case 'tooLarge':
          return l10n.t('Not allowed: the action is too large to be reviewed.');
        case 'breakerOpen':
          return l10n.t(
            'Denied without a review: too many reviews of this request ended without an approval.',
          );
        case 'internal':
          return l10n.t('Not allowed: the security review failed.');
      }
    },
    reviewSuspended: () =>
      l10n.t(
        'Too many security reviews of this request ended without an approval. What needs one is denied until your next request.',
      ),
    noReviewModel: () =>
      l10n.t('No review model is chosen. What is not proven to only read is denied in this mode.'),

    interrupted: () => l10n.t('Interrupted. Nothing was being executed.'),
    interruptedCall: (what: string, where: string) =>
      where === ''
        ? l10n.t('Interrupted. The outcome of {0} is unknown.', what)
        : l10n.t('Interrupted. The outcome of {0} on {1} is unknown.', what, where),
    interruptedCalls: (what: string, where: string, more: number) =>
      where === ''
        ? l10n.t('Interrupted. The outcome of {0} and of {1} more is unknown.', what, more)
        : l10n.t('Interrupted. The outcome of {0} on {1} and of {2} more is unknown.', what, where, more),
    suggestCheck: () => l10n.t('Ask to check'),
    checkPrompt: (what: string, where: string) =>
      where === ''
        ? l10n.t('Check whether {0} took effect, without repeating it.', what)
        : l10n.t('Check on {1} whether {0} took effect, without repeating it.', what, where),
    goOnPrompt: () => l10n.t('Go on where you were interrupted.'),
    stopped: () => l10n.t('Stopped.'),

    retry: () => l10n.t('Try Again'),
    setKey: () => l10n.t('Set Key…'),
    pickModel: () => l10n.t('Choose Model…'),
    pickReviewModel: () => l10n.t('Choose Review Model…'),
    addProvider: () => l10n.t('Add Model…'),
    openSettings: () => l10n.t('Open Settings'),
    setPrice: () => l10n.t('Set Price…'),
    clearScratch: () => l10n.t('Clear Scratch…'),
    showLog: () => l10n.t('Show Log'),
    startNew: () => l10n.t('New Conversation'),

    noModel: () => l10n.t('No model is set up yet.'),
    readOnly: () =>
      l10n.t('Another window runs this conversation. It can be read here until it has finished.'),
    notSaved: () => l10n.t('Nothing is saved in this window: the editor has no database.'),

    hostsRaised: (hosts: string) =>
      l10n.t(
        'Raised for this request: {0}. The assistant may change this production host until the request ends.',
        hosts,
      ),
    costNotEnforced: (model: string) =>
      l10n.t('Your limit of cost is not enforced: {0} has no price in the settings.', model),

    emptyTitle: () => l10n.t('Ask about your servers'),
    emptyLines: () => [
      l10n.t('Looks at your hosts over SSH and explains what it finds.'),
      l10n.t('What only reads runs at once; what changes something waits for your approval.'),
      l10n.t('Shows every command with its host, user and exit status.'),
    ],
    examplesTitle: () => l10n.t('Try'),
    examples: (host: string) => [
      l10n.t('Why is the disk of {0} filling up?', host),
      l10n.t('What has changed on {0} in the last day?', host),
      l10n.t('Which services on {0} have failed, and why?', host),
    ],
    examplesWithoutHost: () => [l10n.t('Which hosts do I have?')],
    disclosure: (model: string) =>
      model === ''
        ? l10n.t(
            'Commands go to your hosts. Your questions and what commands print go to the model you choose, with known secrets removed. There is no telemetry.',
          )
        : l10n.t(
            'Commands go to your hosts. Your questions and what commands print go to {0}, with known secrets removed. There is no telemetry.',
            model,
          ),

    refusedNothingWaits: () => l10n.t('This decision is no longer open. Nothing was allowed by your answer.'),
    refusedEdit: (problem: string) =>
      l10n.t('This version cannot be used, and the call stays as it was: {0}', problem),
    refusedNothingAsks: () => l10n.t('This question is no longer open. Your answer decided nothing.'),
    refusedPlan: () => l10n.t('This plan no longer waits for a decision.'),
    refusedRunning: () =>
      l10n.t('A request is running. Wait for it, or stop it, before the plan is implemented.'),
    refusedGone: () => l10n.t('It is no longer there.'),
    refusedLink: () => l10n.t('Termind does not open this kind of link.'),
    refusedLoading: () => l10n.t('Termind is still starting. Try again in a moment.'),
    refusedEmpty: () => l10n.t('There is nothing to send.'),
  };
}

/** The words the screen uses by itself. */
export function screenStrings(l10n: Localiser): Strings {
  return {
    transcript: l10n.t('Conversation'),
    you: l10n.t('You'),
    assistant: l10n.t('Assistant'),
    queued: l10n.t('Waits for the next turn'),
    loadOlder: l10n.t('Load older messages'),
    loadNewer: l10n.t('Load newer messages'),
    jumpToLatest: l10n.t('Jump to latest'),
    thinking: l10n.t('Thinking…'),
    thoughtFor: l10n.t('Thought for {0}'),
    thought: l10n.t('Thought'),
    showMore: l10n.t('Show more'),
    showLess: l10n.t('Show less'),
    openFullOutput: l10n.t('Open full output'),
    copy: l10n.t('Copy'),
    copied: l10n.t('Copied'),
    copyCode: l10n.t('Copy code'),
    cancel: l10n.t('Cancel'),
    stop: l10n.t('Stop'),
    stateProposed: l10n.t('proposed'),
    stateReviewing: l10n.t('in security review'),
    stateWaiting: l10n.t('waiting for your decision'),
    stateRunning: l10n.t('running'),
    stateSucceeded: l10n.t('succeeded'),
    stateFailed: l10n.t('failed'),
    stateDenied: l10n.t('denied'),
    stateCancelled: l10n.t('cancelled'),
    stateUnknown: l10n.t('outcome unknown'),
    cardName: l10n.t('{0} on {1}, {2}'),
    cardNameLocal: l10n.t('{0}, {1}'),
    needsDecision: l10n.t('Needs your decision'),
    needsDecisionOf: l10n.t('{0} of {1} · needs your decision'),
    runOnAs: l10n.t('Run on {0} as {1}'),
    runOn: l10n.t('Run on {0}'),
    runLocally: l10n.t('Run here'),
    differentHost: l10n.t('different host than before'),
    beforeOn: l10n.t('Before on {0}'),
    exactText: l10n.t('Exactly what will run'),
    deny: l10n.t('Deny'),
    denyWithReason: l10n.t('Deny…'),
    denyReason: l10n.t('Reason, told to the assistant (optional)'),
    denyReasonHint: l10n.t('For example: use journalctl instead'),
    back: l10n.t('Back'),
    allowOnce: l10n.t('Allow once'),
    allowForConversation: l10n.t('Allow for this conversation'),
    grantHint: l10n.t(
      'For this conversation: exactly this, there, without asking again. "Show What Is Allowed in This Conversation" takes it back.',
    ),
    edit: l10n.t('Edit'),
    editedText: l10n.t('What shall run instead'),
    useEdit: l10n.t('Check this version'),
    editHint: l10n.t('It is checked and shown to you again; nothing runs yet.'),
    editedByYou: l10n.t('Edited by you'),
    approveKeys: l10n.t('In this card: {0} allows once, {1} denies.'),
    readToEnd: l10n.t('Scroll to the end of the text before you allow it.'),
    approvalAnnouncement: l10n.t('Needs your decision: {0}, {1}.'),
    inConversation: l10n.t('In the conversation {0}'),
    asksYou: l10n.t('Asks you'),
    asksYouOf: l10n.t('{0} of {1} · asks you'),
    question: l10n.t('Question'),
    questionsAnnouncement: l10n.t('The assistant asks you: {0}'),
    chooseOne: l10n.t('Choose one'),
    chooseSeveral: l10n.t('Choose one or more'),
    recommended: l10n.t('recommended'),
    ownWords: l10n.t('Something else'),
    yourAnswer: l10n.t('Your answer'),
    sendAnswers: l10n.t('Send answer'),
    answerKeys: l10n.t('In this card: {0} sends.'),
    answerSome: l10n.t('What you leave open is skipped.'),
    doNotAnswer: l10n.t("Don't answer"),
    openUntil: l10n.t('Open until {0}.'),
    messageInstead: l10n.t('A message below closes it, too.'),
    waitsForAnswer: l10n.t('Question, waits for your answer'),
    questionsName: l10n.t('Question, {0}'),
    noAnswer: l10n.t('not answered'),
    runAnnouncement: l10n.t('Needs your decision: {0}'),
    loopReached: l10n.t('The same calls gave the same results {0} times in a row.'),
    loopHint: l10n.t('Continue starts the count over. A message below goes on with what you write.'),
    turnsReached: l10n.t('This request has taken {0} turns. Your limit is {1}.'),
    costReached: l10n.t('This request has cost {0}. Your limit is {1}.'),
    moreTurns: l10n.t('Continue allows {0} more turns, {1} in all.'),
    moreCost: l10n.t('Continue allows {0} more, {1} in all.'),
    goOn: l10n.t('Continue'),
    stopRun: l10n.t('Stop'),
    plan: l10n.t('Plan'),
    planName: l10n.t('Plan: {0}, {1}'),
    planPending: l10n.t('waits for your decision'),
    planImplemented: l10n.t('implemented'),
    planDiscarded: l10n.t('discarded'),
    planSuperseded: l10n.t('replaced by a later plan'),
    implement: l10n.t('Implement'),
    discard: l10n.t('Discard'),
    openPlanFile: l10n.t('Open file'),
    planWhileRunning: l10n.t('It can be implemented once the running request has ended.'),
    showPlan: l10n.t('Show the plan {0}'),
    hidePlan: l10n.t('Hide the plan {0}'),
    planMode: l10n.t('Plan mode'),
    planModeOn: l10n.t('Plan mode: the next request only looks, and ends with a plan.'),
    composerPlaceholderPlanning: l10n.t('What is to be planned?'),
    tasks: l10n.t('Tasks'),
    tasksDone: l10n.t('{0} of {1}'),
    taskPending: l10n.t('open'),
    taskInProgress: l10n.t('in progress'),
    taskCompleted: l10n.t('done'),
    compacted: l10n.t('{1} older messages summarised for the model · {0}'),
    tooLargeToShow: l10n.t('This request is too large to be shown whole, so it can only be denied.'),
    composer: l10n.t('Message'),
    composerPlaceholder: l10n.t('Ask about your servers…'),
    composerPlaceholderRunning: l10n.t('Add to the running request…'),
    composerTools: l10n.t('Message settings'),
    send: l10n.t('Send'),
    pickMode: l10n.t('Permission mode: {0}'),
    pickModel: l10n.t('Model: {0}'),
    noModel: l10n.t('No model'),
    context: l10n.t('{0} tokens of context used'),
    contextOf: l10n.t('{0} of {1} tokens of context used'),
    tooLong: l10n.t('The message is too long: {0} of {1} bytes. Put the text into a file and name it.'),
    requestTimedOut: l10n.t('Termind did not answer in time. Try again.'),
    newConversation: l10n.t('New conversation'),
    history: l10n.t('Conversations'),
    error: l10n.t('Error'),
    warning: l10n.t('Warning'),
    info: l10n.t('Note'),
    milliseconds: l10n.t('{0} ms'),
    seconds: l10n.t('{0} s'),
    minutes: l10n.t('{0} min {1} s'),
    hours: l10n.t('{0} h {1} min'),
  };
}
