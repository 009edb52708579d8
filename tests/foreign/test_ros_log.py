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
