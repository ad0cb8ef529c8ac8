// The handler of kernel `connections`, written from crates/annulus-conformance/src/kernels/real/business.rs:+0 (module annulus_conformance::kernels::real::business).
#pragma OPENCL FP_CONTRACT OFF

typedef union Happening {
    u8 tag; // 0 Listen, 1 Connect, 2 Close, 3 Syn, 4 SynAck, 5 Ack, 6 Fin, 7 Reset, 8 Timeout
} Happening;
typedef char ann_size_of_Happening[sizeof(Happening) == 1 ? 1 : -1];

typedef struct Event {
    u32 connection;
    Happening happening;
    u8 ann_pad0[3];
} Event;
typedef char ann_size_of_Event[sizeof(Event) == 8 ? 1 : -1];

typedef union Stage {
    u8 tag; // 0 Closed, 1 Listen, 2 SynSent, 3 SynReceived, 4 Established, 5 FinWait1, 6 FinWait2, 7 CloseWait, 8 Closing, 9 LastAck, 10 TimeWait
} Stage;
typedef char ann_size_of_Stage[sizeof(Stage) == 1 ? 1 : -1];

typedef union Answer {
    u8 tag; // 0 Nothing, 1 Syn, 2 SynAck, 3 Ack, 4 Fin
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 1 ? 1 : -1];

typedef struct Step {
    Stage stage;
    Answer answer;
} Step;
typedef char ann_size_of_Step[sizeof(Step) == 2 ? 1 : -1];

typedef struct Tuple_Stage_Answer { Stage field_0; Answer field_1; } Tuple_Stage_Answer;

typedef struct Option_Tuple_Stage_Answer { u8 tag; Tuple_Stage_Answer some; } Option_Tuple_Stage_Answer;

// business.rs:-30: Stage::next
static Option_Tuple_Stage_Answer fn_Stage_next(Stage self, Happening happening) {
    // business.rs:-29
    Tuple_Stage_Answer chosen;
    if ((self.tag == 0) && (happening.tag == 0)) {
        // business.rs:-28
        Stage stage;
        stage.tag = 1; // Listen
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if (((self.tag == 0) || (self.tag == 1)) && (happening.tag == 1)) {
        // business.rs:-27
        Stage stage;
        stage.tag = 2; // SynSent
        Answer answer;
        answer.tag = 1; // Syn
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 1) && (happening.tag == 3)) {
        // business.rs:-26
        Stage stage;
        stage.tag = 3; // SynReceived
        Answer answer;
        answer.tag = 2; // SynAck
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 2) && (happening.tag == 4)) {
        // business.rs:-25
        Stage stage;
        stage.tag = 4; // Established
        Answer answer;
        answer.tag = 3; // Ack
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 2) && (happening.tag == 3)) {
        // business.rs:-24
        Stage stage;
        stage.tag = 3; // SynReceived
        Answer answer;
        answer.tag = 2; // SynAck
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 3) && (happening.tag == 5)) {
        // business.rs:-23
        Stage stage;
        stage.tag = 4; // Established
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if (((self.tag == 3) || (self.tag == 4)) && (happening.tag == 2)) {
        // business.rs:-22
        Stage stage;
        stage.tag = 5; // FinWait1
        Answer answer;
        answer.tag = 4; // Fin
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 4) && (happening.tag == 6)) {
        // business.rs:-21
        Stage stage;
        stage.tag = 7; // CloseWait
        Answer answer;
        answer.tag = 3; // Ack
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 7) && (happening.tag == 2)) {
        // business.rs:-20
        Stage stage;
        stage.tag = 9; // LastAck
        Answer answer;
        answer.tag = 4; // Fin
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 5) && (happening.tag == 5)) {
        // business.rs:-19
        Stage stage;
        stage.tag = 6; // FinWait2
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 5) && (happening.tag == 6)) {
        // business.rs:-18
        Stage stage;
        stage.tag = 8; // Closing
        Answer answer;
        answer.tag = 3; // Ack
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 6) && (happening.tag == 6)) {
        // business.rs:-17
        Stage stage;
        stage.tag = 10; // TimeWait
        Answer answer;
        answer.tag = 3; // Ack
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((self.tag == 8) && (happening.tag == 5)) {
        // business.rs:-16
        Stage stage;
        stage.tag = 10; // TimeWait
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if (((self.tag == 9) && (happening.tag == 5)) || ((self.tag == 10) && (happening.tag == 8))) {
        // business.rs:-14
        Stage stage;
        stage.tag = 0; // Closed
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if (((self.tag == 1) || (self.tag == 2)) && (happening.tag == 2)) {
        // business.rs:-12
        Stage stage;
        stage.tag = 0; // Closed
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage;
        chosen.field_1 = answer;
    } else if ((happening.tag == 7) && (self.tag != 1)) {
        // business.rs:-11
        Stage stage = self;
        Stage stage_2;
        stage_2.tag = 0; // Closed
        Answer answer;
        answer.tag = 0; // Nothing
        chosen.field_0 = stage_2;
        chosen.field_1 = answer;
    } else {
        // business.rs:-10
        Option_Tuple_Stage_Answer option;
        option.tag = 0; // None
        return option;
    }
    Option_Tuple_Stage_Answer option;
    option.tag = 1; // Some
    option.some = chosen;
    return option;
}

static u32 handle_connections(GLOBAL const Event *event, PRIVATE Stage *stage, PRIVATE ann_outbox *steps) {
    // business.rs:+1
    Option_Tuple_Stage_Answer next = fn_Stage_next((*stage), event->happening);
    if (next.tag != 1) {
        return 136u;
    }
    Tuple_Stage_Answer copy = next.some;
    Stage next_2 = copy.field_0;
    Answer answer = copy.field_1;
    // business.rs:+2
    (*stage) = next_2;
    // business.rs:+3
    Step step_;
    step_.stage = next_2;
    step_.answer = answer;
    {
        GLOBAL Step *ann_slot = (GLOBAL Step *)ann_outbox_next(steps);
        if (ann_slot) *ann_slot = step_;
    }
    // business.rs:+4
    return 0u;
}

#define ANN_MESSAGE Event
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Step
#define ANN_OUTPUT_BYTES 2
#define ANN_STATE Stage
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->connection)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_connections(message, state, outbox)
