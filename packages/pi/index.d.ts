// What other Pi extensions may import and rely on. docs/extension-api.md tells
// how it is used. New members may appear; read payloads with that in mind.

export type PermissionState = "allow" | "ask" | "deny";

/** What the policy says about a surface and a value. */
export interface PermissionCheckResult {
  toolName: string;
  state: PermissionState;
  source: "tool" | "bash" | "mcp" | "skill" | "special" | "default" | "session";
  /** The scope that the deciding rule comes from. */
  origin: string | null;
  matchedPattern?: string;
  /** Why, as the user wrote it beside a `deny`. */
  reason?: string;
  /** The deciding part of a command. */
  command?: string;
  /** Where that part stands, such as inside a command substitution. */
  commandContext?: string;
  /** What a wrapper really runs. */
  executedUnit?: string;
  /** Every part of a command that asks. */
  askingUnits?: { command: string; floor?: string }[];
  /** The MCP target. */
  target?: string;
  /** Why it asks although no rule does: a sentinel in angle brackets. */
  floor?: string;
}

/** Text that describes a tool's input in a question; `undefined` declines. */
export type ToolInputFormatter = (input: Record<string, unknown>) => string | undefined;

/** The path that a tool's input names; `undefined` declines. */
export type ToolAccessExtractor = (input: Record<string, unknown>) => string | undefined;

/** What an authorizer link may say; anything else leaves the answer to others. */
export type AuthorizerVerdict = { kind: "allow" } | { kind: "deny"; reason?: string } | { kind: "defer" };

export interface PermissionQuery {
  checkPermission(surface: string, value?: string, agentName?: string): PermissionCheckResult;
  getToolPermission(toolName: string, agentName?: string): PermissionState;
}

export interface AuthorizerLog {
  review(event: string, fields?: Record<string, unknown>): void;
  debug(event: string, fields?: Record<string, unknown>): void;
}

export type PermissionUiPromptSource = "tool_call" | "skill_input" | "skill_read";

/** Who asks. */
export interface PromptRequester {
  agentName: string | null;
  /** Whether the question comes from another session. */
  forwarded: boolean;
  sessionId: string | null;
}

/** What is asked about. */
export interface PromptRequestFacts {
  requester: PromptRequester;
  /** The surface of the rule, which may differ from the one shown. */
  surface: string;
  toolName: string | null;
  /** The tool as it was called, where that differs from `toolName`. */
  invokedToolName: string | null;
  value: string;
  /** The pattern that decided, or a sentinel in angle brackets. */
  matchedPattern: string | null;
  commandContext: string | null;
  executedUnit: string | null;
}

export interface PromptEvidence {
  label: string;
  text: string;
  detail: string | null;
}

export interface PromptAnnotation {
  source: string;
  text: string;
}

export type PromptPayloadKind =
  | "bash"
  | "mcp"
  | "tool"
  | "path"
  | "external_directory"
  | "bash_external_directory"
  | "skill"
  | "skill_read"
  | "forwarded";

/** A question, complete and untrimmed. */
export interface PromptPayload {
  kind: PromptPayloadKind;
  request: PromptRequestFacts;
  evidence: PromptEvidence[];
  annotations: PromptAnnotation[];
}

/** Which child asks, where a question was forwarded. */
export interface ForwardedPromptContext {
  requesterAgentName: string | null;
  requesterSessionId: string | null;
  /** How the session was recognised as a child. */
  childBy?: string;
}

/** What an authorizer link is told. */
export interface PromptPermissionDetails {
  requestId: string;
  source: PermissionUiPromptSource;
  agentName: string | null;
  payload: PromptPayload | null;
  /** What is shown. */
  surface?: string;
  value?: string;
  toolCallId?: string | null;
  toolName?: string | null;
  skillName?: string | null;
  path?: string | null;
  command?: string | null;
  target?: string | null;
  toolInputPreview?: string | null;
  /** Where the question was forwarded. */
  forwarding?: ForwardedPromptContext;
  /** What an approval for the session would grant. */
  sessionApproval?: { surface: string; patterns: string[] } | null;
  /** The paths that are asked about, in every spelling that rules are held against. */
  accessIntent?: { surface: string; matchValues: string[]; boundaryValue: string | null } | null;
}

/** A link of the authorizer chain; the configuration's `authorizerChain` puts it to use. */
export type Authorizer = (
  details: PromptPermissionDetails,
  query: PermissionQuery,
  log: AuthorizerLog,
) => Promise<AuthorizerVerdict> | AuthorizerVerdict;

export interface PermissionsService {
  /** What the gate would say; nothing is asked, recorded or told to others. */
  checkPermission(surface: string, value?: string, agentName?: string): PermissionCheckResult;
  /** What a surface says by itself, whatever its narrower rules say. */
  getToolPermission(toolName: string, agentName?: string): PermissionState;
  /** Whether nothing of a tool can be allowed. */
  isToolFullyDenied(toolName: string, agentName?: string): boolean;
  /** One for each tool; a second throws. The returned function takes it back. */
  registerToolInputFormatter(toolName: string, formatter: ToolInputFormatter): () => void;
  /** One for each tool; a second throws. The returned function takes it back. */
  registerToolAccessExtractor(toolName: string, extractor: ToolAccessExtractor): () => void;
  /** One for each name; a second throws. The returned function takes it back. */
  registerAuthorizer(name: string, authorize: Authorizer): () => void;
  getToolInputFormatter(toolName: string): ToolInputFormatter | undefined;
  getToolAccessExtractor(toolName: string): ToolAccessExtractor | undefined;
}

/** The service of a session; its id comes with `permissions:ready`. */
export function getPermissionsService(sessionId: string): PermissionsService | undefined;

export const PERMISSIONS_READY_CHANNEL: "permissions:ready";
export const PERMISSIONS_UI_PROMPT_CHANNEL: "permissions:ui_prompt";
export const PERMISSIONS_DECISION_CHANNEL: "permissions:decision";

/** A session's service is there; told again at its first turn. */
export interface PermissionsReadyEvent {
  sessionId: string | null;
  /** Whether this session decides, rather than its parent. */
  adjudicatesLocally: boolean;
}

/** A person is about to be asked. */
export interface PermissionUiPromptEvent {
  requestId: string;
  source: PermissionUiPromptSource;
  surface: string | null;
  value: string | null;
  agentName: string | null;
  request?: PromptRequestFacts | null;
  forwarding: ForwardedPromptContext | null;
}

export type PermissionDecisionResolution =
  | "policy_allow"
  | "policy_deny"
  | "session_approved"
  | "infrastructure_auto_allowed"
  | "user_approved"
  | "user_approved_for_session"
  | "user_denied"
  | "auto_approved"
  | "authorizer_allowed"
  | "authorizer_denied"
  | "confirmation_unavailable"
  | "gate_error";

/** What a refused call is missing, and who could grant it. */
export interface NeededCapability {
  missing: {
    surface: string;
    value: string;
    action: PermissionState;
    pattern: string | null;
    origin: string | null;
    file: string | null;
    line: number | null;
    floor: string | null;
    grantors: ("person" | "rule")[];
  }[];
  /** How many more there are than `missing` lists. */
  more: number;
  /** Whether making the same call again can help. */
  again: "yes" | "later" | "no";
  /** All of it in one line, as the model is told. */
  text: string;
}

/** A call was decided, whether or not anybody was asked. */
export interface PermissionDecisionEvent {
  /** The same as in the question's event and in the review log. */
  requestId: string;
  surface: string;
  value: string;
  result: "allow" | "deny";
  resolution: PermissionDecisionResolution;
  origin: string | null;
  agentName: string | null;
  matchedPattern: string | null;
  forwarding?: ForwardedPromptContext | null;
  /** Of a refused call of this session's own. */
  needsCapability?: NeededCapability;
}
