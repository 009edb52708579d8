import subprocess
import sys

import numpy as np
import pytest

from sim.errors import ForeignError
from sim.foreign import read_foreign

NAMES = ("shoulder", "elbow", "wrist")
N = 50
STATES = np.random.default_rng(0).normal(size=(3, len(NAMES), N))


def write_bag(folder, topics=("/joint_states",), *, mcap=False, stamped=True):
    """A bag by rosbags itself; every other message has its joints in the other order.

    A gripper's messages of one joint more stand among them.
    """
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds = "sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time"
    JointState, Header, Time = (store.types[kind] for kind in kinds)
    plugin = StoragePlugin.MCAP if mcap else StoragePlugin.SQLITE3
    with Writer(folder, version=8, storage_plugin=plugin) as bag:
        for topic in topics:
            connection = bag.add_connection(topic, JointState.__msgtype__, typestore=store)
            for k in range(N):
                at = 1_700_000_000_000_000_000 + 10_000_000 * k
                stamp = Time(*divmod(at, 10**9)) if stamped else Time(0, 0)
                order = list(range(3))[:: 1 if k % 2 else -1]
                rows = (np.ascontiguousarray(group[order, k]) for group in STATES)
                message = JointState(Header(stamp, ""), [NAMES[j] for j in order], *rows)
                bag.write(connection, at, store.serialize_cdr(message, JointState.__msgtype__))
                if k % 7 == 0:
                    one, none = np.array([0.1]), np.zeros(0)
                    grip = JointState(Header(stamp, ""), ["finger"], one, none, none)
                    bag.write(connection, at, store.serialize_cdr(grip, JointState.__msgtype__))
    return folder


def write_messages(folder, messages):
    """A bag of messages (s, names, positions, velocities, efforts) on one topic."""
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds = "sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time"
    JointState, Header, Time = (store.types[kind] for kind in kinds)
    with Writer(folder, version=8) as bag:
        connection = bag.add_connection("/joint_states", JointState.__msgtype__, typestore=store)
        for k, (t, names, *rows) in enumerate(messages):
            at = 1_700_000_000_000_000_000 + round(1e9 * t)
            numbers = [np.ascontiguousarray(row, dtype=float) for row in rows]
            message = JointState(Header(Time(*divmod(at, 10**9)), ""), list(names), *numbers)
            bag.write(connection, 10**9 + k, store.serialize_cdr(message, JointState.__msgtype__))
    return folder


def states_of(table):
    return {column.title: column.values for column in table.columns}


@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_gripper_on_the_topic_is_no_message_of_the_arm(tmp_path, every):
    """At the arm's rate, a half and a third of it, 3 ms after it."""
    messages = []
    for k in range(N):
        messages.append((0.01 * k, NAMES, *STATES[:, :, k]))
        if k % every == 0:
            messages.append((0.01 * k + 3e-3, ["finger"], [0.1], [], []))
    folder = write_messages(tmp_path / "bag", messages)
    for joints in (NAMES, ()):
        assert_states(read_foreign(folder, joints=joints))


@pytest.mark.parametrize("late", [0.0, 4e-4])
def test_halves_of_two_controllers_are_joined_by_their_stamps(tmp_path, late):
    """The second half's values are those at the stamps of the first, between two of its own."""
    t = 0.01 * np.arange(N)
    ramp = np.array([1.0, 2.0, 3.0])[:, None] * t
    messages = []
    for k in range(N):
        messages.append((t[k], NAMES[:2], *([*rows[:2, k]] for rows in (ramp, ramp, ramp))))
        half = 3.0 * (t[k] + late)
        messages.append((t[k] + late, NAMES[2:], [half], [half], [half]))
    table = read_foreign(write_messages(tmp_path / "bag", messages), joints=NAMES)
    states = states_of(table)
    kept = t[1:] if late else t
    np.testing.assert_allclose(states["t"], kept - kept[0], atol=5e-7)
    for group in ("q", "qd", "tau"):
        np.testing.assert_allclose(states[f"{group}.wrist"], 3.0 * kept, atol=5e-6)
        np.testing.assert_allclose(states[f"{group}.elbow"], 2.0 * kept, atol=1e-12)
    assert "wrist come in messages of their own; interpolated" in table.notes[0]


def test_an_angle_is_not_interpolated_over_the_place_where_it_is_wrapped(tmp_path):
    t = 0.01 * np.arange(N)
    messages = []
    for k in range(N):
        messages.append((t[k], NAMES[:2], [0, 0], [0, 0], [0, 0]))
        messages.append((t[k] + 4e-3, NAMES[2:], [np.mod(9.0 * t[k], 2 * np.pi)], [0], [0]))
    wrist = states_of(read_foreign(write_messages(tmp_path / "bag", messages), joints=NAMES))
    step = np.diff(wrist["q.wrist"])
    assert np.all((np.abs(step) < 0.14) | (np.abs(step + 2 * np.pi) < 0.14))


def test_messages_without_efforts_of_another_publisher_are_left_out_with_their_count(tmp_path):
    messages = []
    for k in range(N):
        messages.append((0.01 * k, NAMES, *STATES[:, :, k]))
        messages.append((0.01 * k + 3e-3, NAMES, [0, 0, 0], [], []))
    table = read_foreign(write_messages(tmp_path / "bag", messages), joints=NAMES)
    assert_states(table)
    assert table.notes == (
        "50 messages of shoulder, elbow, wrist without velocities and efforts are left out",
    )


def test_stamps_that_go_back_are_not_joined(tmp_path):
    messages = []
    for k in range(N):
        t = 0.01 * (k % 30)
        messages.append((t, NAMES[:2], *STATES[:, :2, k]))
        messages.append((t, NAMES[2:], *STATES[:, 2:, k]))
    with pytest.raises(ForeignError, match=r"stamps of wrist go back by 0\.29 s"):
        read_foreign(write_messages(tmp_path / "bag", messages), joints=NAMES)


def test_a_database_is_read_with_its_bag_and_without(tmp_path):
    folder = write_bag(tmp_path / "bag")
    (database,) = folder.glob("*.db3")
    table = read_foreign(database)
    assert_states(table)
    assert table.notes[0] == "read as part of its bag, the folder bag"
    (folder / "metadata.yaml").unlink()
    table = read_foreign(database)
    assert_states(table)
    assert table.source == database.name
    (tmp_path / "other.db3").write_bytes(b"SQLite format 3\0" + bytes(84))
    with pytest.raises(ForeignError, match=r"other\.db3 cannot be read|no bag of ROS 2"):
        read_foreign(tmp_path / "other.db3")


def assert_states(table):
    columns = {column.title: column.values for column in table.columns}
    np.testing.assert_allclose(columns["t"], 0.01 * np.arange(N), rtol=0, atol=5e-7)
    for group, rows in zip(("q", "qd", "tau"), STATES, strict=True):
        for name, row in zip(NAMES, rows, strict=True):
            np.testing.assert_array_equal(columns[f"{group}.{name}"], row)


@pytest.mark.parametrize("stamped", [True, False])
@pytest.mark.parametrize("mcap", [True, False])
def test_joint_states_come_back_to_the_bit_and_by_name(tmp_path, mcap, stamped):
    folder = write_bag(tmp_path / "bag", mcap=mcap, stamped=stamped)
    assert_states(read_foreign(folder))
    if mcap:  # alone, by another reader
        assert_states(read_foreign(folder / "bag.mcap"))


def test_topics_are_listed_where_none_or_several_could_be_meant(tmp_path):
    folder = write_bag(tmp_path / "bag", ("/left", "/right"), mcap=True)
    for path in (folder, folder / "bag.mcap"):
        with pytest.raises(ForeignError, match=r"several topics .* /left, /right; .* --topic"):
            read_foreign(path)
        with pytest.raises(ForeignError, match=r"no topic '/up' .* /left \(sensor_msgs/msg/Joint"):
            read_foreign(path, "/up")
        assert_states(read_foreign(path, "/left"))


def test_damaged_recordings_and_readers_that_are_missing_are_said(tmp_path, monkeypatch):
    path = tmp_path / "cut.mcap"
    folder = write_bag(tmp_path / "bag", mcap=True)
    path.write_bytes((folder / "bag.mcap").read_bytes()[:900])
    with pytest.raises(ForeignError, match=r"cut\.mcap"):
        read_foreign(path)
    (tmp_path / "none.bag").write_bytes(b"#ROSBAG V2.0\n")
    with pytest.raises(ForeignError, match=r"none\.bag cannot be read as a recording of ROS"):
        read_foreign(tmp_path / "none.bag")
    monkeypatch.setitem(sys.modules, "mcap.reader", None)
    with pytest.raises(ForeignError, match=r"pip install 'sim\[logs\]'"):
        read_foreign(path)


@pytest.mark.parametrize("where", ["chunk", "frame", "many"])
def test_an_mcap_that_unpacks_to_much_is_refused_before_it_is_unpacked(
    tmp_path, monkeypatch, where
):
    """Chunks and frames that say a size which they do not have; the reader is never called."""
    import zstandard
    from mcap.writer import CompressionType, Writer

    path = tmp_path / "much.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.ZSTD, chunk_size=2000)
        writer.start()
        schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", b"")
        channel = writer.register_channel("/joint_states", "cdr", schema)
        for k in range(50):
            writer.add_message(channel, k, b"0" * 500, k)
        writer.finish()
    real = zstandard.frame_content_size
    sizes = {"frame": lambda data: 6_000_000_000, "many": lambda data: 100_000_000}
    monkeypatch.setattr(zstandard, "frame_content_size", sizes.get(where, real))
    if where == "chunk":
        from mcap.records import Chunk

        told = Chunk.read

        def larger(stream):
            chunk = told(stream)
            chunk.uncompressed_size = 6_000_000_000
            return chunk

        monkeypatch.setattr(Chunk, "read", larger)
    monkeypatch.setattr(zstandard, "decompress", None)
    with pytest.raises(ForeignError, match=r"much\.mcap, \d+ bytes, unpacks to (6|3)\d{8,9} bytes"):
        read_foreign(path)


BOUNDED = """
import resource
import numpy as np
from sim.foreign.ros_log import bounded_memory

before = resource.getrlimit(resource.RLIMIT_AS)
try:
    with bounded_memory(50_000_000):
        np.ones(100_000_000)
except MemoryError:
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    print(np.ones(10_000_000).sum())
"""


def test_memory_beyond_the_bound_is_an_error_and_the_bound_ends():
    # in a process of its own: one that has freed much would take it from there
    command = [sys.executable, "-c", BOUNDED]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("10000000.0\n", "")


@pytest.mark.parametrize("plain", [True, False])
def test_dynamic_joint_states_of_ros2_control_are_read_where_there_are_no_others(tmp_path, plain):
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    folder, store = tmp_path / "bag", get_typestore(Stores.ROS2_HUMBLE)
    value, kind = (f"control_msgs/msg/{name}" for name in ("InterfaceValue", "DynamicJointState"))
    store.register(get_types_from_msg("string[] interface_names\nfloat64[] values", value))
    fields = f"std_msgs/Header header\nstring[] joint_names\n{value}[] interface_values"
    store.register(get_types_from_msg(fields, kind))
    types, names = store.types, "std_msgs/msg/Header builtin_interfaces/msg/Time".split()
    Header, Time = (types[name] for name in names)
    quantities = ["velocity", "position", "effort"]
    with Writer(folder, version=8) as bag:
        dynamic = bag.add_connection("/dynamic_joint_states", kind, typestore=store)
        if plain:
            JointState = types["sensor_msgs/msg/JointState"]
            states = bag.add_connection("/states", JointState.__msgtype__, typestore=store)
        for k in range(N):
            at = 1_700_000_000_000_000_000 + 10_000_000 * k
            header = Header(Time(*divmod(at, 10**9)), "")
            rows = [types[value](quantities, STATES[[1, 0, 2], j, k]) for j in range(3)]
            if not plain:
                message = types[kind](header, [*NAMES], rows)
                bag.write(dynamic, at, store.serialize_cdr(message, kind))
            else:
                message = JointState(header, [*NAMES], *(np.array(x) for x in STATES[:, :, k]))
                bag.write(states, at, store.serialize_cdr(message, JointState.__msgtype__))
    assert_states(read_foreign(folder))
