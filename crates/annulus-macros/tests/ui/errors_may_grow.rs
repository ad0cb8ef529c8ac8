//! A program that takes an error apart has an arm for what a later version may add.
use annulus::{
    CallError, HandleError, LaunchError, LifecycleError, SendError, TelemetryError, TryRecvError, TrySendError,
};

fn call(error: CallError) {
    match error {
        CallError::Disabled | CallError::Full | CallError::Dropped | CallError::Closed => {}
        CallError::NoReply | CallError::Failed { .. } | CallError::Terminated | CallError::Timeout => {}
    }
}

fn launch(error: LaunchError) {
    match error {
        LaunchError::Invalid(_) | LaunchError::AlreadyLaunched { .. } => {}
        LaunchError::Binding { .. } | LaunchError::Backend { .. } => {}
    }
}

fn others(handle: HandleError, lifecycle: LifecycleError, telemetry: TelemetryError) {
    match handle {
        HandleError::Unknown(_) | HandleError::OtherKernel { .. } => {}
    }
    match lifecycle {
        LifecycleError::Terminated | LifecycleError::Timeout => {}
    }
    match telemetry {
        TelemetryError::NoLines { .. } | TelemetryError::Terminated => {}
    }
}

fn send(now: TrySendError<u32>, later: SendError<u32>) {
    match now {
        TrySendError::Full(_) | TrySendError::Closed(_) | TrySendError::TooLarge(_) => {}
        TrySendError::NotOffered(_) => {}
    }
    match later {
        SendError::Full(_) | SendError::Closed(_) | SendError::Timeout(_) | SendError::TooLarge(_) => {}
    }
}

fn receive(now: TryRecvError) {
    match now {
        TryRecvError::Empty | TryRecvError::Closed | TryRecvError::NotOffered => {}
    }
}

fn main() {}
