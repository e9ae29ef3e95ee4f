//! Events of several machines give the same result in any order.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::note::VaultPath;
use crate::signals::stability::StabilityOptions;

const DAY: i64 = 86_400;

fn event(kind: EventKind, note: &str, at: i64) -> UsageEvent {
    UsageEvent::new(kind, at, [&VaultPath::new(note).unwrap()])
}

/// Devices that share a journal, each with its own events.
struct Devices {
    home: tempfile::TempDir,
}

impl Devices {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        Self { home }
    }

    fn journal(&self) -> PathBuf {
        self.home.path().join("journal")
    }

    fn folder(&self, device: &str) -> PathBuf {
        let folder = self.journal().join(device);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn events(&self, device: &str) -> Events {
        Events::of(&self.home.path().join(format!("state-{device}")))
    }

    fn append(&self, device: &str, events: &[UsageEvent]) {
        self.events(device).append(events).unwrap();
    }

    fn update(&self, device: &str) {
        self.update_with(device, &|_| TallyBaseline::default());
    }

    fn update_with(&self, device: &str, standing: &dyn Fn(&str) -> TallyBaseline) {
        let events = self.events(device);
        let waiting = events.waiting().unwrap().into_iter();
        let now = waiting.map(|event| event.at).max().unwrap_or(0);
        update_tallies(
            &self.folder(device),
            &events,
            &UsageOptions::default(),
            now,
            standing,
        )
        .unwrap();
    }

    fn all(&self) -> BTreeMap<String, Usage> {
        self.all_at(i64::MAX)
    }

    fn all_at(&self, now: i64) -> BTreeMap<String, Usage> {
        let learned = load(&self.journal(), &Parameters::default(), now)
            .unwrap()
            .notes
            .into_iter();
        learned.map(|(note, known)| (note, known.usage)).collect()
    }
}

#[test]
fn is_listed_enough_decides_which_events_are_uses() {
    for (kind, is_listed_enough, accesses, is_stable) in [
        (EventKind::Listed, false, 0, false),
        (EventKind::Recalled, false, 1, false),
        (EventKind::Shown, false, 1, true),
        (EventKind::Edited, false, 1, true),
        (EventKind::Changed, false, 1, true),
        (EventKind::Linked, false, 1, true),
        (EventKind::Listed, true, 1, true),
        (EventKind::Recalled, true, 1, true),
    ] {
        let how = UsageOptions {
            is_listed_enough,
            ..UsageOptions::default()
        };
        let mut usage = Usage::default();
        add(&mut usage, &[event(kind, "a.md", 7)], None, &how, 7);
        let found = (usage.accesses, usage.stability.is_some());
        assert_eq!(found, (accesses, is_stable), "{kind:?} {is_listed_enough}");
    }
}

/// Numbers from Ormah's page, where the first use counts from the note's creation.
#[test]
fn the_first_use_counts_from_creation() {
    let parameters = Parameters {
        stability: StabilityOptions {
            initial: 1.0,
            base: 0.0,
            gain: 1.5,
            damping: 0.0,
            ceiling: 1e6,
            pause: 0.0,
            ..StabilityOptions::default()
        },
        ..Parameters::default()
    };
    let how = UsageOptions {
        parameters: parameters.clone(),
        ..UsageOptions::default()
    };
    for (kind, days, expected) in [
        (EventKind::Shown, 0, 1.5),
        (EventKind::Shown, 2, 2.24),
        (EventKind::Shown, 5, 4.08),
        (EventKind::Shown, 30, 365.0),
        (EventKind::Reinforced, 2, 2.24),
        (EventKind::Confirmed, 5, 4.08),
    ] {
        let used = UsageEvent {
            reward: (kind != EventKind::Shown).then_some(1.0),
            ..event(kind, "a.md", days * DAY)
        };
        let mut waiting = Usage::default();
        add(
            &mut waiting,
            std::slice::from_ref(&used),
            Some(0),
            &how,
            used.at,
        );
        let devices = Devices::new();
        devices.append("a", &[used]);
        devices.update_with("a", &|_| TallyBaseline {
            created: Some(0),
            ..TallyBaseline::default()
        });
        let fold = load(&devices.journal(), &parameters, days * DAY).unwrap();
        for usage in [&waiting, &fold.notes["a.md"].usage] {
            let found = usage.stability.unwrap();
            assert!(
                (found - expected).abs() < 0.005,
                "{kind:?} after {days} days: {found}"
            );
        }
    }
}

#[test]
fn rewards_of_one_second_apply_in_the_order_given() {
    let reward = |reward| UsageEvent {
        reward: Some(reward),
        ..event(EventKind::Reinforced, "a.md", DAY)
    };
    // From .5, with the settings of OwnSona: .775, .436, .714; sorted it would be .175, .466, .743.
    let given = [reward(1.0), reward(-1.0), reward(1.0)];
    let mut waiting = Usage::default();
    add(&mut waiting, &given, None, &UsageOptions::default(), DAY);
    let devices = Devices::new();
    for event in &given {
        devices.append("a", std::slice::from_ref(event));
        devices.update("a");
    }
    for usage in [&waiting, &devices.all()["a.md"]] {
        let found = usage.salience.of(0.5);
        assert!((found - 0.7144).abs() < 1e-3, "{found}");
    }
}

#[test]
fn texts_written_by_mem_are_no_external_changes() {
    let seen = |text| UsageEvent {
        texts: vec![TextHash(text)],
        ..event(EventKind::Changed, "a.md", 1)
    };
    let wrote = UsageEvent {
        texts: vec![TextHash(7)],
        ..UsageEvent::new(EventKind::Wrote, 2, [])
    };
    let left = without_own_writes(vec![seen(7), seen(8), wrote.clone()]);
    assert_eq!(left.iter().map(|event| event.notes.len()).sum::<usize>(), 1);
    // A watch may see the change after the events were added.
    let devices = Devices::new();
    devices.append("a", &[UsageEvent { at: 1, ..wrote }]);
    devices.update("a");
    devices.append("a", &[seen(7)]);
    devices.update("a");
    assert_eq!(devices.all(), BTreeMap::new());
}

#[test]
fn a_crash_after_the_lines_were_written_counts_nothing_twice() {
    let devices = Devices::new();
    devices.append(
        "a",
        &[
            event(EventKind::Shown, "a.md", 5),
            event(EventKind::Recalled, "b.md", 6),
        ],
    );
    let state = devices.home.path().join("state-a");
    fs::copy(state.join("events"), state.join("batch")).unwrap();
    let written = state.join("events").metadata().unwrap().modified().unwrap();
    devices.update("a");
    let known = devices.all();
    // The batch still exists, and one of the two lines is torn.
    fs::rename(state.join("batch"), state.join("events.taken")).unwrap();
    let batch = fs::File::open(state.join("events.taken")).unwrap();
    batch.set_modified(written).unwrap();
    let file = devices.folder("a").join(UsageTally::FILE);
    let lines = fs::read(&file).unwrap();
    fs::write(&file, &lines[..lines.len() - 5]).unwrap();
    devices.update("a");
    assert_eq!(devices.all(), known);
    assert_eq!(known["a.md"].accesses, 1);
}

#[test]
fn a_merge_adds_usage_and_its_undo_restores_it() {
    let devices = Devices::new();
    let helped = |note: &str, at: i64, question: &str| UsageEvent {
        reward: Some(1.0),
        question: Some(question.to_owned()),
        ..event(EventKind::Reinforced, note, at)
    };
    devices.append(
        "a",
        &[helped("a.md", DAY, "one"), helped("b.md", 2 * DAY, "two")],
    );
    devices.update("a");
    let before = devices.all();
    let merged = UsageEvent {
        to: Some("a.md".to_owned()),
        ..event(EventKind::Merged, "b.md", 3 * DAY)
    };
    devices.append("a", &[merged]);
    devices.update("a");
    let after = devices.all();
    assert_eq!(after.keys().collect::<Vec<_>>(), ["a.md"]);
    let (one, two, all) = (&before["a.md"], &before["b.md"], &after["a.md"]);
    assert_eq!((all.accesses, all.uses), (one.accesses + two.accesses, 2));
    assert_eq!(all.last_accessed, two.last_accessed);
    assert_eq!(all.helped.len(), 2);
    devices.append("a", &[event(EventKind::Returned, "b.md", 4 * DAY)]);
    devices.update("a");
    assert_eq!(devices.all(), before);
}

#[test]
fn after_a_lost_journal_every_device_continues_from_the_snapshot() {
    let devices = Devices::new();
    let snapshot = Usage {
        accesses: 40,
        days: 9,
        stability: Some(30.0),
        ..Usage::default()
    };
    let standing = |_: &str| TallyBaseline {
        body: TextHash(1),
        created: None,
        snapshot: Some(snapshot.clone()),
    };
    for device in ["a", "b"] {
        devices.append(device, &[event(EventKind::Recalled, "a.md", DAY)]);
    }
    // Neither sees the files of the other.
    let (a, b) = (devices.folder("a"), devices.home.path().join("b"));
    devices.update_with("a", &standing);
    fs::rename(&a, devices.home.path().join("away")).unwrap();
    devices.update_with("b", &standing);
    fs::rename(devices.folder("b"), &b).unwrap();
    fs::rename(devices.home.path().join("away"), &a).unwrap();
    fs::rename(&b, devices.journal().join("b")).unwrap();
    let known = &devices.all()["a.md"];
    assert_eq!((known.accesses, known.stability), (42, Some(30.0)));
    // A note with a tally needs no snapshot.
    devices.append("c", &[event(EventKind::Recalled, "a.md", 2 * DAY)]);
    devices.update_with("c", &standing);
    assert_eq!(devices.all()["a.md"].accesses, 43);
}

#[test]
fn a_snapshot_read_by_two_devices_counts_once() {
    let devices = Devices::new();
    let snapshot = Usage {
        accesses: 40,
        days: 9,
        uses: 4,
        rewards: 3.5,
        stability: Some(30.0),
        ..Usage::default()
    };
    let standing = |_: &str| TallyBaseline {
        body: TextHash(1),
        created: None,
        snapshot: Some(snapshot.clone()),
    };
    let reward = |day: i64| UsageEvent {
        reward: Some(0.5),
        ..event(EventKind::Reinforced, "a.md", day * DAY)
    };
    // As on machines that have not synced yet.
    let (a, b) = (devices.folder("a"), devices.home.path().join("b"));
    devices.append("b", &[reward(1)]);
    devices.update_with("b", &standing);
    fs::rename(devices.folder("b"), &b).unwrap();
    let all: Vec<UsageEvent> = (2..200).map(reward).collect();
    devices.append("a", &all);
    devices.update_with("a", &standing);
    let lines: Vec<UsageTally> = lines::load_own(&a).unwrap();
    assert!(lines[0].base.is_some());
    fs::rename(&b, devices.journal().join("b")).unwrap();
    let known = &devices.all()["a.md"];
    assert_eq!((known.accesses, known.uses), (40 + 199, 4 + 199));
    assert!((known.rewards - (3.5 + 199.0 / 2.0)).abs() < 1e-9);
}

#[test]
fn a_wrong_clock_does_not_affect_the_time_of_last_use() {
    for kind in [EventKind::Recalled, EventKind::Shown, EventKind::Reinforced] {
        let devices = Devices::new();
        let last = |now: i64| {
            let usage = &devices.all_at(now * DAY)["a.md"];
            usage.last_accessed.map(|at| at / DAY)
        };
        // By the clock of each command.
        for (day, now, expected) in [
            (9000, 10, None),
            (20, 25, Some(20)),
            (9000, 30, Some(20)),
            (40, 50, Some(40)),
            (2, 50, Some(40)),
            (60, 1000, Some(60)),
        ] {
            let used = UsageEvent {
                reward: (kind == EventKind::Reinforced).then_some(1.0),
                ..event(kind, "a.md", day * DAY)
            };
            devices.append("a", &[used]);
            devices.update("a");
            assert_eq!(last(now), expected, "{kind:?} {day}");
        }
        let usage = &devices.all_at(1000 * DAY)["a.md"];
        assert_eq!((usage.accesses, usage.days), (6, 4), "{kind:?}");
        // The future time counts once that day has come.
        assert_eq!(last(9001), Some(9000), "{kind:?}");
    }
}

#[test]
fn a_slow_clock_does_not_change_earlier_usage() {
    let devices = Devices::new();
    let reward = |day: i64| UsageEvent {
        reward: Some(0.5),
        ..event(EventKind::Reinforced, "a.md", day * DAY)
    };
    for day in 100..180 {
        devices.append(
            "a",
            &[reward(day), event(EventKind::Shown, "b.md", day * DAY)],
        );
        devices.update("a");
    }
    let before = devices.all();
    // The last event waits while the clock is set back.
    devices.append("a", &[event(EventKind::Shown, "c.md", 180 * DAY)]);
    update_tallies(
        &devices.folder("a"),
        &devices.events("a"),
        &UsageOptions::default(),
        2 * DAY,
        &|_| TallyBaseline::default(),
    )
    .unwrap();
    devices.append("a", &[event(EventKind::Recalled, "a.md", 2 * DAY)]);
    devices.update("a");
    let after = devices.all();
    let slow = Usage {
        accesses: before["a.md"].accesses + 1,
        activity: after["a.md"].activity,
        ..before["a.md"].clone()
    };
    assert_eq!((&after["a.md"], &after["b.md"]), (&slow, &before["b.md"]));
    assert_eq!(after["c.md"].last_accessed, Some(180 * DAY));
}

#[test]
fn texts_written_before_a_crash_are_no_external_changes_after_it() {
    let devices = Devices::new();
    let wrote = UsageEvent {
        texts: vec![TextHash(7)],
        ..UsageEvent::new(EventKind::Wrote, 1, [])
    };
    let seen = UsageEvent {
        texts: vec![TextHash(7)],
        ..event(EventKind::Changed, "a.md", 1)
    };
    devices.append("a", &[wrote.clone(), wrote.clone()]);
    // The process crashes while it adds the batch.
    assert!(devices.events("a").take().unwrap().is_some());
    devices.append("a", std::slice::from_ref(&seen));
    devices.update("a");
    assert_eq!(devices.all(), BTreeMap::new());
    // It is repeated once for later watches, and expires.
    assert_eq!(devices.events("a").waiting().unwrap(), [wrote]);
    devices.append(
        "a",
        &[event(EventKind::Shown, "b.md", OWN_WRITE_SECONDS + 2)],
    );
    devices.update("a");
    assert_eq!(devices.events("a").waiting().unwrap(), []);
}

#[test]
fn an_interrupted_purge_already_invalidates_usage() {
    let devices = Devices::new();
    devices.append("a", &[event(EventKind::Shown, "a.md", 1)]);
    devices.update("a");
    // Makes the next step fail.
    fs::create_dir(devices.home.path().join("state-a/events")).unwrap();
    let notes = ["a.md".to_owned()];
    purge(&devices.folder("a"), &devices.events("a"), &notes, 9).unwrap_err();
    assert_eq!(devices.all(), BTreeMap::new());
}

#[test]
fn purged_notes_are_removed_from_all_files() {
    let devices = Devices::new();
    let secret = UsageEvent {
        reward: Some(1.0),
        question: Some("the secret".to_owned()),
        ..event(EventKind::Reinforced, "old.md", 1)
    };
    let renamed = UsageEvent {
        to: Some("a.md".to_owned()),
        ..event(EventKind::Moved, "old.md", 2)
    };
    devices.append("a", &[secret.clone(), renamed]);
    devices.append("b", std::slice::from_ref(&secret));
    devices.update("a");
    devices.update("b");
    devices.append("a", &[event(EventKind::Shown, "a.md", 3)]);
    let notes = ["a.md".to_owned()];
    purge(&devices.folder("a"), &devices.events("a"), &notes, 9).unwrap();
    assert_eq!(devices.all(), BTreeMap::new());
    let own = fs::read_to_string(devices.folder("a").join(UsageTally::FILE)).unwrap();
    assert_eq!(own, "");
    devices.update("a");
    assert_eq!(devices.all(), BTreeMap::new());
}

#[test]
fn copies_of_sync_tools_are_merged_and_superseded_lines_dropped() {
    let devices = Devices::new();
    let file = devices.folder("a").join(UsageTally::FILE);
    devices.append("a", &[event(EventKind::Shown, "a.md", DAY)]);
    devices.update("a");
    let copy = devices
        .folder("a")
        .join("usage.sync-conflict-20260401-120000-ABC.jsonl");
    fs::copy(&file, &copy).unwrap();
    for day in 2..400 {
        devices.append("a", &[event(EventKind::Shown, "a.md", day * DAY)]);
        devices.update("a");
    }
    assert!(!copy.exists());
    let usage = &devices.all()["a.md"];
    assert_eq!((usage.accesses, usage.days), (399, 399));
    let bytes = fs::metadata(&file).unwrap().len();
    assert!(bytes < 3 * lines::MIN_COMPACTED_BYTES, "{bytes}");
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let devices = Devices::new();
    let line = |since: &str| {
        format!(
            "{{\"n\":1,\"note\":\"a.md\",\"body\":\"f\",\"since\":{since},\"last\":{since},\
             \"accesses\":18446744073709551615,\"days\":18446744073709551615,\"uses\":[{since}],\
             \"rewards\":[{{\"at\":{since},\"r\":1e300}}]}}\n"
        )
    };
    for (device, since) in [("a", "-9223372036854775808"), ("b", "9223372036854775807")] {
        fs::write(devices.folder(device).join(UsageTally::FILE), line(since)).unwrap();
    }
    let usage = &devices.all()["a.md"];
    assert_eq!((usage.uses, usage.rewards.round() as i64), (2, 2));
    devices.append("c", &[event(EventKind::Shown, "a.md", 1)]);
    devices.update("c");
    assert_eq!(devices.all()["a.md"].accesses, 200_000_000_001);
}

/// An event on one of three devices: a use, a reward, a rename, an update of the journal.
#[derive(Clone, Debug)]
enum TestEvent {
    Use(EventKind, u8),
    Reward(i8, u8),
    Rename,
    Update,
}

fn test_event() -> impl Strategy<Value = TestEvent> {
    prop_oneof![
        4 => (prop::sample::select(vec![EventKind::Recalled, EventKind::Shown, EventKind::Changed]), 0..3_u8)
            .prop_map(|(kind, note)| TestEvent::Use(kind, note)),
        2 => (-4..=4_i8, 0..3_u8).prop_map(|(reward, note)| TestEvent::Reward(reward, note)),
        1 => Just(TestEvent::Rename),
        2 => Just(TestEvent::Update),
    ]
}

/// An event on one of two devices.
#[derive(Clone, Debug)]
enum LossEvent {
    Reward(i8, u8),
    Update,
    /// The usage is written into the notes.
    Settle,
    /// The journal is deleted on all devices.
    Lose,
}

fn loss_event() -> impl Strategy<Value = LossEvent> {
    prop_oneof![
        6 => (-4..=4_i8, 0..3_u8).prop_map(|(reward, note)| LossEvent::Reward(reward, note)),
        3 => Just(LossEvent::Update),
        2 => Just(LossEvent::Settle),
        1 => Just(LossEvent::Lose),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Each use counts once under the current path, regardless of device, number of updates, order
    /// of files and repeated lines.
    #[test]
    fn the_fold_counts_every_event_once(
        happened in prop::collection::vec((0..3_usize, test_event()), 0..60),
        seed in any::<u64>(),
    ) {
        let devices = Devices::new();
        let names = ["a", "b", "c"];
        let mut first = "n0-0.md".to_owned();
        let (mut renames, mut counted, mut rewards) = (0, [0_u64; 3], [0.0; 3]);
        for (hour, (device, append)) in (1..).zip(&happened) {
            let (device, at) = (names[*device], hour * 3600);
            let name = |note: &u8| match note {
                0 => first.clone(),
                other => format!("n{other}.md"),
            };
            match append {
                TestEvent::Use(kind, note) => {
                    devices.append(device, &[event(*kind, &name(note), at)]);
                    counted[usize::from(*note)] += 1;
                }
                TestEvent::Reward(reward, note) => {
                    let reward = f64::from(*reward) / 4.0;
                    let reinforced = UsageEvent {
                        reward: Some(reward),
                        ..event(EventKind::Reinforced, &name(note), at)
                    };
                    devices.append(device, &[reinforced]);
                    counted[usize::from(*note)] += u64::from(reward > 0.0);
                    rewards[usize::from(*note)] += reward;
                }
                TestEvent::Rename => {
                    renames += 1;
                    let to = format!("n0-{renames}.md");
                    let moved = UsageEvent {
                        to: Some(to.clone()),
                        ..event(EventKind::Moved, &first, at)
                    };
                    // Every device sees it sooner or later.
                    for device in names {
                        devices.append(device, std::slice::from_ref(&moved));
                    }
                    first = to;
                }
                TestEvent::Update => devices.update(device),
            }
        }
        for device in names {
            devices.update(device);
        }
        let all = devices.all();
        for (note, (count, reward)) in counted.iter().zip(&rewards).enumerate() {
            let name = if note == 0 { first.clone() } else { format!("n{note}.md") };
            let known = all.get(&name).cloned().unwrap_or_default();
            prop_assert_eq!(known.accesses, *count, "{}: {:?}", name, &all);
            prop_assert!((known.rewards - reward).abs() < 1e-9);
        }
        prop_assert!(all.len() <= 3, "{all:?}");
        // In another order, with repeated lines.
        let mut lines = lines::load_by_device::<UsageTally>(&devices.journal()).unwrap();
        let doubled: Vec<_> = lines.iter().skip(seed as usize % 3).step_by(2).cloned().collect();
        lines.extend(doubled);
        let length = lines.len().max(1);
        lines.rotate_left(seed as usize % length);
        if seed % 2 == 0 {
            lines.reverse();
        }
        let moves = moves::load(&devices.journal()).unwrap();
        let refolded = fold(lines, &moves, &Parameters::default(), i64::MAX);
        let again: BTreeMap<String, Usage> =
            refolded.notes.into_iter().map(|(note, known)| (note, known.usage)).collect();
        prop_assert_eq!(again, all);
    }

    /// After a loss of the journal, usage continues from the last snapshot and nothing counts
    /// twice.
    #[test]
    fn a_lost_journal_loses_only_unsettled_usage(
        happened in prop::collection::vec((0..2_usize, loss_event()), 0..60),
    ) {
        let devices = Devices::new();
        let (names, notes) = (["a", "b"], ["n0.md", "n1.md", "n2.md"]);
        let mut snapshots: BTreeMap<String, Usage> = BTreeMap::new();
        // For each note the journal's usage, if it has any, and each device's pending usage.
        let mut known: [Option<(u64, f64)>; 3] = [None; 3];
        let mut waiting = [[None::<(u64, f64)>; 3]; 2];
        let all_of = |usage: &Usage| (usage.accesses, usage.rewards);
        let mut happened = happened;
        happened.extend([(0, LossEvent::Update), (1, LossEvent::Update)]);
        for (hour, (device, loss_event)) in (1..).zip(&happened) {
            match loss_event {
                LossEvent::Reward(reward, note) => {
                    let (reward, note) = (f64::from(*reward) / 4.0, usize::from(*note));
                    let reinforced = UsageEvent {
                        reward: Some(reward),
                        ..event(EventKind::Reinforced, notes[note], hour * 3600)
                    };
                    devices.append(names[*device], &[reinforced]);
                    let (uses, rewards) = waiting[*device][note].get_or_insert_default();
                    *uses += u64::from(reward > 0.0);
                    *rewards += reward;
                }
                LossEvent::Update => {
                    let standing = |note: &str| TallyBaseline {
                        body: TextHash(1),
                        created: None,
                        snapshot: snapshots.get(note).cloned(),
                    };
                    devices.update_with(names[*device], &standing);
                    for (note, known) in known.iter_mut().enumerate() {
                        if let Some((uses, rewards)) = waiting[*device][note].take() {
                            let snapshot = || snapshots.get(notes[note]).map(all_of);
                            let known = known.get_or_insert_with(|| snapshot().unwrap_or_default());
                            known.0 += uses;
                            known.1 += rewards;
                        }
                    }
                }
                LossEvent::Settle => snapshots.extend(devices.all()),
                LossEvent::Lose => {
                    fs::remove_dir_all(devices.journal()).ok();
                    known = [None; 3];
                }
            }
        }
        let all = devices.all();
        for (note, known) in notes.iter().zip(known) {
            let found = all.get(*note).map(all_of);
            prop_assert_eq!(found.map(|found| found.0), known.map(|known| known.0), "{}", note);
            if let (Some(found), Some(known)) = (found, known) {
                prop_assert!((found.1 - known.1).abs() < 1e-9, "{note}: {found:?} {known:?}");
            }
        }
    }
}
